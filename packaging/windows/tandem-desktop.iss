; Not built here: configuration for Inno Setup, for one person without administrator's rights. See README.md.
#ifndef Version
  #error Say which version: iscc /DVersion=VERSION tandem-desktop.iss
#endif

[Setup]
AppId=app.tandem_desktop.TandemDesktop
AppName=Tandem Desktop
AppVersion={#Version}
AppPublisher=Tandem Desktop contributors
LicenseFile=..\..\LICENSE
DefaultDirName={autopf}\Tandem Desktop
PrivilegesRequired=lowest
ChangesEnvironment=yes
OutputDir=..\..\dist
OutputBaseFilename=tandem-desktop-{#Version}-windows-x86_64
Compression=lzma2
SolidCompression=yes
UninstallDisplayIcon={app}\tandem-desktop.exe

[Files]
Source: "..\..\build\frozen\tandem-desktop\*"; DestDir: "{app}"; Flags: recursesubdirs

[Icons]
Name: "{autoprograms}\Tandem Desktop"; Filename: "{app}\tandem-desktop.exe"

[Tasks]
Name: path; Description: "Add the tandem command to PATH"
Name: folders; Description: "Open folders with Tandem from the context menu"

[Registry]
Root: HKCU; Subkey: "Environment"; ValueType: expandsz; ValueName: "Path"; ValueData: "{olddata};{app}"; Tasks: path
Root: HKCU; Subkey: "Software\Classes\Directory\shell\Tandem"; ValueData: "Open with Tandem"; Flags: uninsdeletekey; Tasks: folders
Root: HKCU; Subkey: "Software\Classes\Directory\shell\Tandem\command"; ValueData: """{app}\tandem-desktop.exe"" ""%V"""; Tasks: folders
