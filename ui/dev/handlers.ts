// The fake engine's operation handlers, by subject, each in its own file.
import type { Op, Request, Response } from "~/wire/client";

export type Handlers = { [O in Op]: (request: Request<O>) => Response<O> };

/** Returns the next unused number. */
export type Numbers = () => number;
