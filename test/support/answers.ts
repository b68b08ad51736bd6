import type { FaultAction } from "../../emulator";

/** Faults for the emulator that replace the platform's response. */

/** The login page of a captive portal. The portal responds instead of the platform, so the request is not applied. */
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

/** The platform applies the request, but responds with an error. */
export const appliedBut500 = { kind: "status", status: 500, applied: true } as const;
