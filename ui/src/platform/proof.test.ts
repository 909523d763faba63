import { expect, it } from "vitest";
import { fingerprint, isRight } from "./proof";

const NONCE = "0123456789abcdef0123456789abcdef";
/** The value that the engine computes; also checked in crates/wire/src/proof.rs. */
const PROOF = "5b063ffc4091f53e2c022463a49995493bfe0edfbc77d8c73e9004e263955fe7";

it("computes the same proof as the engine", async () => {
  expect(await fingerprint("token")).toBe("d91469750b3f1844");
  expect(await isRight("token", NONCE, 4000, PROOF)).toBe(true);
});

it("rejects a proof of another token, nonce or port, and malformed ones", async () => {
  expect(await isRight("other", NONCE, 4000, PROOF)).toBe(false);
  expect(await isRight("token", NONCE.replaceAll("0", "1"), 4000, PROOF)).toBe(false);
  expect(await isRight("token", NONCE, 4001, PROOF)).toBe(false);
  for (const bad of [undefined, 7, "", PROOF.slice(2), PROOF.toUpperCase()]) {
    expect(await isRight("token", NONCE, 4000, bad)).toBe(false);
  }
});
