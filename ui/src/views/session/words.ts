// Texts of the session view that are used outside its components.
export const words = {
  copied: (title: string | undefined) => `${title ?? "A program"} put text on the clipboard`,
};
