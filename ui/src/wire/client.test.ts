import { describe, expect, it } from "vitest";
import { toHttp } from "./client";
import { CallError } from "./error";

describe("an operation over HTTP", () => {
  it("puts path parameters into the path, whatever they hold", () => {
    expect(toHttp("getSession", { id: "../a b/ü" })).toEqual({
      method: "GET",
      path: "/api/sessions/..%2Fa%20b%2F%C3%BC",
      body: null,
    });
  });

  it("puts the rest of a GET into the query, and leaves out undefined fields", () => {
    expect(toHttp("getOutput", { id: "s1", lines: 20 }).path).toBe(
      "/api/sessions/s1/output?lines=20",
    );
    expect(toHttp("listSessions", { project: undefined }).path).toBe("/api/sessions");
  });

  it("puts the rest of other requests into the body", () => {
    expect(toHttp("removeWorkspace", { id: "s1", force: true })).toEqual({
      method: "DELETE",
      path: "/api/sessions/s1/workspace",
      body: '{"force":true}',
    });
    expect(toHttp("killSession", { id: "s1" }).body).toBeNull();
    expect(toHttp("resumeSession", { id: "s1" }).body).toBe("{}");
  });
});

describe("an error", () => {
  it("keeps the code and hint of the wire, and converts anything else", () => {
    const wire = CallError.from({ code: "conflict", message: "still running", hint: "kill it" });
    expect([wire.code, wire.message, wire.hint]).toEqual(["conflict", "still running", "kill it"]);
    expect(CallError.from(wire)).toBe(wire);
    expect(CallError.from({ code: "made_up", message: "x" }).code).toBe("failed");
    expect(CallError.from("plain").message).toBe("plain");
  });
});
