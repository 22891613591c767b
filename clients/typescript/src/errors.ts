/** What can go wrong between a client and a server. */

/** The error object of the protocol. */
export interface Problem {
  code: string;
  message: string;
  [extra: string]: unknown;
}

/** The server refused, or failed to do, what it was asked. */
export class LuvusError extends Error {
  readonly code: string;
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = "LuvusError";
    this.code = problem.code;
    this.problem = problem;
  }
}

/** Nobody answered. A call that changes something may have been executed all the same. */
export class ConnectionLost extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionLost";
  }
}

/** Return the error object in an answer, or one that says there was none. */
export function problemOf(value: unknown, otherwise: string): Problem {
  if (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    "message" in value
  ) {
    return value as Problem;
  }
  return { code: "bad_answer", message: otherwise };
}
