import type { FaultAction } from "../../emulator";

/** Answers that are no response of the platform, as faults. */

/** As a captive portal answers: the platform has not acted. */
export const loginPage = (status = 200, body = "<!doctype html>\n<html><title>Sign in</title></html>") =>
  ({
    kind: "status",
    status,
    body,
    headers: { "Content-Type": "text/html; charset=utf-8" },
    applied: false,
  }) as const;

export const redirect = (location = "/redirected", status = 302) =>
  ({ kind: "status", status, body: undefined, headers: { Location: location } }) as const satisfies FaultAction;

export const noContent = (status = 204) => ({ kind: "status", status, body: undefined }) as const satisfies FaultAction;

/** The platform acts, and answers as if it had not. */
export const appliedBut500 = { kind: "status", status: 500, applied: true } as const;
