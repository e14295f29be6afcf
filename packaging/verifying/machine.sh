# A bare Debian in a folder, to be entered as a machine of its own: sourced by packaging/verify and packaging/fresh.
#
# Where packages come from is this machine's business: its own configuration of apt and pip is copied in when it is made.

need_root() {
    ((EUID == 0)) || fail "this needs root, to make a machine in a folder: sudo $0"
}

# new_machine FOLDER — Debian's smallest system; the first one is kept packed in build/ for the next.
new_machine() {
    local folder=$1 packed=$root/build/machine.tar suite
    suite=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    remove_machine "$folder"
    mkdir -p "$folder"
    if [[ ! -e $packed ]]; then
        say "== a bare Debian $suite"
        debootstrap --variant=minbase "$suite" "$folder" "$(mirror_here "$suite")" >"$root/build/debootstrap.log" 2>&1 ||
            fail "debootstrap failed; see build/debootstrap.log"
        tar --create --file "$packed.new" --directory "$folder" . && mv "$packed.new" "$packed"
    else
        tar --extract --file "$packed" --directory "$folder"
    fi
    hand_in_configuration "$folder"
    enter "$folder" root useradd --create-home --shell /bin/bash person
}

mirror_here() {
    local found
    found=$(apt-get indextargets --format '$(SITE)' "Suite: $1" 2>/dev/null | head -n 1)
    [[ -n $found ]] || found=$(apt-get indextargets --format '$(SITE)' "Codename: $1" 2>/dev/null | head -n 1)
    [[ -n $found ]] || fail "apt on this machine knows no source of Debian $1."
    printf '%s' "$found"
}

hand_in_configuration() {
    local place
    for place in /etc/apt /etc/pip.conf /etc/ssl/certs /usr/share/keyrings /usr/local/share/ca-certificates /etc/resolv.conf /etc/hosts; do
        [[ -e $place ]] || continue
        mkdir -p "$1${place%/*}"
        cp --recursive --dereference --no-target-directory "$place" "$1$place" 2>/dev/null || true
    done
}

enter() { "$root/packaging/verifying/enter" "$@"; }

apt_in() {
    local folder=$1
    shift
    enter "$folder" root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 "$@"
}

remove_machine() {
    [[ -d $1 ]] || return 0
    rm -rf --one-file-system "$1"
}
