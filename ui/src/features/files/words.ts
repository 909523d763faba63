// Texts about files that a prompt names, and about files that are attached to it.
import { bytes, count } from "~/state/text/words";

export const words = {
  files: "Files",
  found: (files: number) => `${count(files, "file")}. ↑ and ↓ choose, Enter inserts.`,
  more: "More files match. Type more letters.",
  attaching: ([first = "", ...others]: readonly string[]) =>
    others.length === 0 ? `Attaching ${first}…` : `Attaching ${others.length + 1} files…`,
  notAttached: (name: string) => `${name} was not attached`,
  tooLarge: (name: string) => `${name} is too large to attach`,
  tooLargeText: (size: number, most: number) =>
    `It has ${bytes(size)}; at most ${bytes(most)} can be attached. Put it into the agent's folder and write its path.`,
  noPicture: (size: number) =>
    `It has ${bytes(size)} and could not be made smaller. Save it as a PNG or JPEG, or put it into the agent's folder and write its path.`,
  unnamed: (type: string) => `file.${type.split("/")[1]?.replace(/\W.*/, "") ?? "bin"}`,
  late: "The file is attached, but its field is gone",
  lateText: (paths: string) => `Agents read it at ${paths}`,
};
