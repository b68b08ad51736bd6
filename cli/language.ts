import { UsageError } from "./io";

/** The languages that commands write programs in. Programs in Python and Go use the SDKs of a release. */
export type Language = "typescript" | "yaml";

export const LANGUAGE_OPTION = {
  type: "string",
  default: "typescript",
  value: "<name>",
  help: "typescript or yaml; default typescript",
} as const;

export function readLanguage(text: string): Language {
  if (text === "typescript" || text === "yaml") {
    return text;
  }
  throw new UsageError("--language takes typescript or yaml.");
}
