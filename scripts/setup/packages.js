// The names of required system packages. Data only.

/** Debian and Ubuntu packages to build and run. */
export const build = [
  "build-essential",
  "ca-certificates",
  "git",
  "libdbus-1-dev",
  "libwebkit2gtk-4.1-dev",
  "librsvg2-dev",
  "pkg-config",
];

/** Debian and Ubuntu packages to test. `chromium` is installed only if no browser is found. */
export const test = [
  "dbus-x11",
  "dunst",
  "fonts-dejavu",
  "gnome-keyring",
  "imagemagick",
  "openbox",
  "python3",
  "python3-dbusmock",
  "tmux",
  "webkit2gtk-driver",
  "xdotool",
  "xvfb",
];

/**
 * Programs that count as a browser for tests, and the package that has one on Debian and Ubuntu.
 */
export const browsers = ["chromium", "google-chrome", "chromium-browser"];
export const browserPackage = { debian: "chromium", ubuntu: "chromium-browser" };

/** Hints for other systems. */
export const elsewhere = {
  fedora:
    "sudo dnf install @development-tools git pkgconf webkit2gtk4.1-devel librsvg2-devel dbus-devel",
  arch: "sudo pacman -S --needed base-devel git pkgconf webkit2gtk-4.1 librsvg",
  suse: "sudo zypper install -t pattern devel_basis && sudo zypper install git webkit2gtk3-devel librsvg-devel",
  darwin: "xcode-select --install",
  win32:
    "winget install Git.Git Microsoft.VisualStudio.2022.BuildTools Microsoft.EdgeWebView2Runtime",
};

/** Minimum versions. */
export const rust = [1, 90];
export const node = [20, 19];
export const rustHint =
  process.platform === "win32"
    ? "winget install Rustlang.Rustup"
    : "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh";
