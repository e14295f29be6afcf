# Everything a fresh Debian or Ubuntu machine needs, asked for once: sourced by packaging/start and packaging/test.
#
# The second run finds everything in place and needs no network. TANDEM_NO_APT=1 never installs system packages;
# PYTHON=/path/to/python chooses the interpreter. Mirrors and proxies are the business of apt and pip, not of this file.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/.venv
# What Qt needs to be loaded at all, and to open a window on an X display; found on a machine that had none of it.
window_libraries=(libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxkbcommon-x11-0 libx11-xcb1
    libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0
    libxcb-shm0 libxcb-sync1 libxcb-xfixes0 libxcb-xkb1)

say() { printf '%s\n' "$*" >&2; }
fail() {
    say "tandem: $*"
    exit 1
}

# set_up NAME OPTIONAL_PACKAGES... — the environment with what packaging/locks/NAME.txt names, and Tandem from this folder.
set_up() {
    local name=$1
    shift
    cd "$root"
    if command -v flock >/dev/null; then
        exec 9<"$root"
        flock 9 # two set-ups at once take turns
    fi
    install_required
    make_environment
    install_optional "$@"
    install_python_packages "$name"
    exec 9<&-
    export PATH="$venv/bin:$PATH" VIRTUAL_ENV=$venv
}

install_required() {
    local -a missing=()
    local python
    command -v git >/dev/null || missing+=(git)
    if environment_works; then
        : # made earlier, so Python and venv were there
    elif python=$(find_python); then
        # Debian ships venv apart from Python: the modules are there, ensurepip is not.
        "$python" -c 'import ensurepip, venv' 2>/dev/null || missing+=("$(venv_package "$python")")
    else
        local best
        best=$(best_python_package)
        missing+=("$best" "$best-venv")
    fi
    ((${#missing[@]} == 0)) && return
    say "Missing system packages: ${missing[*]}"
    apt_install "${missing[@]}" || fail "these system packages are needed: ${missing[*]}
  Install them, then run this again:
      sudo apt-get update && sudo apt-get install -y ${missing[*]}
  Tandem needs Python 3.11 or newer (Debian 12, Ubuntu 22.04 with python3.11, or later)."
    environment_works || find_python >/dev/null || fail "no Python 3.11 or newer was found, even after installing ${missing[*]}.
  Install python3.11 (or newer) with its -venv package, or set PYTHON=/path/to/python3.11 and run this again."
}

# Some heavy tests want these; their absence never stops anything, and installing them is tried once.
install_optional() {
    local -a missing=()
    local package
    for package in "$@"; do
        dpkg_has "$package" || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    [[ -e $venv/.optional-tried && $(<"$venv/.optional-tried") == "${missing[*]}" ]] && return
    apt_install "${missing[@]}" || say "Going on without ${missing[*]} (optional): sudo apt-get install -y ${missing[*]}"
    printf '%s' "${missing[*]}" >"$venv/.optional-tried"
}

find_python() {
    local candidate path
    for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
        path=$(command -v "$candidate") || continue
        [[ $path != "$venv"/* ]] || continue # an activated .venv cannot be made from itself
        if "$path" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s' "$path"
            return
        fi
    done
    return 1
}

venv_package() {
    local version
    version=$("$1" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    if dpkg_has "$version"; then printf '%s-venv' "$version"; else printf 'python3-venv'; fi
}

# Where the default python3 is too old (Ubuntu 22.04), a newer one may stand beside it.
best_python_package() {
    local package version
    version=$(apt-cache policy python3 2>/dev/null | awk '/Candidate:/ {print $2}')
    if [[ $version =~ ^3\.([0-9]+) ]] && ((BASH_REMATCH[1] < 11)); then
        for package in python3.14 python3.13 python3.12 python3.11; do
            if apt-cache show "$package-venv" >/dev/null 2>&1; then
                printf '%s' "$package"
                return
            fi
        done
    fi
    printf 'python3'
}

dpkg_has() {
    command -v dpkg-query >/dev/null || return 1
    [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == "install ok installed" ]]
}

apt_install() {
    local -a become=()
    [[ -z ${TANDEM_NO_APT:-} ]] || return 1
    command -v apt-get >/dev/null || return 1
    if ((EUID != 0)); then
        command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
        become=(sudo -n)
    fi
    say "Installing by apt: $*"
    # A broken list of one archive must not stop what the others can give.
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2 || true
    "${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# An environment that is broken, too old, without pip, or moved from elsewhere is made again.
make_environment() {
    if [[ -d $venv ]]; then
        if environment_works; then return; fi
        say "The environment in .venv does not work here any more; making it again."
        rm -rf "$venv"
    fi
    say "Making a virtual environment in .venv"
    "$(find_python)" -m venv "$venv" || fail "the virtual environment could not be made; see the words above."
}

environment_works() {
    "$venv/bin/python" -c 'import sys, pip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null &&
        head -n 3 "$venv/bin/pip" 2>/dev/null | grep -qF "$venv/bin/python"
}

install_python_packages() {
    local lock=$root/packaging/locks/$1.txt stamp=$venv/.installed-$1 wanted
    wanted=$(cat "$root/pyproject.toml" "$lock" | sha256sum)
    if [[ -e $stamp && $(<"$stamp") == "$wanted" ]] && [[ -x $venv/bin/tandem ]]; then return; fi
    say "Installing Tandem and its Python packages into .venv"
    install_locked "$venv" "$lock"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$root" ||
        fail "pip could not install Tandem itself; see its words above."
    printf '%s' "$wanted" >"$stamp"
}

# install_locked VENV LOCK — exactly the versions of the lock; a file whose hash is not in it is refused.
install_locked() {
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$2" || fail "pip could not install the Python packages; see its words above.
  A network connection is needed this once. Behind a proxy or a mirror, set it in pip's own configuration.
  Every file must have a hash of ${2#"$root/"}; a mirror that has no such version cannot be used."
}
