// Texts of the session view that are used outside its components.
export const words = {
  resizeDetails: "Width of the details",
  copied: (title: string | undefined) => `${title ?? "A program"} put text on the clipboard`,
  openPort: (address: string) => `Open ${address}`,
  portTip: (address: string) => `Opens ${address}\nThe port reserved for this session's dev server`,
  elsewhere: (path: string) => `${path} was not opened`,
  elsewhereText: "It is not in the workspace of this session.",
};
