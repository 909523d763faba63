// How the make-believe engine answers operations: by subject, each in a file of its own.
import type { Op, Request, Response } from "~/wire/client";

export type Handlers = { [O in Op]: (request: Request<O>) => Response<O> };

/** The next number that nothing has yet. */
export type Numbers = () => number;
