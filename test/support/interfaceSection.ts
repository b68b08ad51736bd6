import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "./repository";

/** A section of docs/interface.md, from its heading to the next one. */
export function interfaceSection(number: string): string {
  const text = readFileSync(join(repository, "docs/interface.md"), "utf8");
  const [, behind = ""] = text.split(new RegExp(`^#{2,3} ${number}\\.? .*$`, "m"));
  return behind.split(/^#{2,3} /m)[0] ?? "";
}
