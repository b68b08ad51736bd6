import type { ErrorBody, Profile } from "./profile";

/** What the platform answers: `body` is sent as JSON, `text` as it is, neither as an empty body. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}

/** Why the platform does not act; a number is the very status, a word is one of the three error responses of section 7. */
export interface Refusal {
  readonly because: "invalid" | "unknown" | "constraint" | number;
  readonly message: string;
}

const statuses = {
  "400/404/422": { invalid: 400, unknown: 404, constraint: 422 },
  "401/403/409": { invalid: 401, unknown: 403, constraint: 409 },
} as const;

export function statusOf(refusal: Refusal, profile: Profile): number {
  return typeof refusal.because === "number" ? refusal.because : statuses[profile.errorStatuses][refusal.because];
}

const html = "text/html; charset=utf-8";

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** An error in the form that the profile chose (section 7 shows one form, for one operation). */
export function errorAnswer(status: number, message: string, form: ErrorBody, headers: Answer["headers"] = {}): Answer {
  switch (form) {
    case "error":
      return { status, body: { error: message }, headers };
    case "message":
      return { status, body: { message }, headers };
    case "text":
      return { status, text: message, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers } };
    case "html":
      return {
        status,
        text: `<!doctype html>\n<html><head><title>${status}</title></head><body><h1>${escapeHtml(message)}</h1></body></html>\n`,
        headers: { "Content-Type": html, ...headers },
      };
    case "none":
      return { status, headers };
  }
}
