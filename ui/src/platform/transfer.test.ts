import { expect, test } from "vitest";
import { filesPasted, holdsFiles } from "./transfer";

const shot = new File(["x"], "shot.png", { type: "image/png" });
function transfer(text: string, ...files: File[]) {
  return {
    files: files as unknown as FileList,
    types: files.length > 0 ? ["Files"] : ["text/plain"],
    getData: () => text,
  };
}

test("a paste of text stays one, whatever else it brings", () => {
  expect(filesPasted(transfer("total"))).toEqual([]);
  expect(filesPasted(transfer("total\t12", shot))).toEqual([]);
  expect(filesPasted(null)).toEqual([]);
});

test("a picture, and files with only their names, are files", () => {
  expect(filesPasted(transfer("", shot))).toEqual([shot]);
  expect(filesPasted(transfer("shot.png", shot))).toEqual([shot]);
  expect(filesPasted(transfer("shot.png\r\nshot.png", shot, shot))).toEqual([shot, shot]);
});

test("a drag holds files before they can be read", () => {
  expect(holdsFiles({ types: ["text/uri-list", "Files"] })).toBe(true);
  expect(holdsFiles({ types: ["text/plain"] })).toBe(false);
  expect(holdsFiles(null)).toBe(false);
});
