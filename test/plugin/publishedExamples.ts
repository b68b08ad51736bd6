import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../tools/reference/declarations";

/** An example as the registry shows it, taken from the schema as it is published. */
export interface Published {
  /** `NumberAssignment`. */
  readonly resource: string;
  readonly text: string;
}

interface Schema {
  readonly resources: Readonly<Record<string, { readonly description: string }>>;
}

export function publishedExamples(language: string): Published[] {
  const schema = JSON.parse(readFileSync(join(root, "provider/plugin/schema.json"), "utf8")) as Schema;
  return Object.entries(schema.resources).flatMap(([token, { description }]) => {
    const fences = [...description.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))];
    return fences.map(([, text = ""]) => ({ resource: token.split(":")[2] ?? "", text }));
  });
}
