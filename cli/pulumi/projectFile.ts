import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** In the order in which Pulumi looks for them. */
const PROJECT_FILES = ["Pulumi.json", "Pulumi.yaml", "Pulumi.yml"];

/** The project's file in this folder. */
export const projectFileIn = (folder: string): string | undefined =>
  PROJECT_FILES.map((name) => join(folder, name)).find(existsSync);

/** The project's file in this folder or in the next one above. */
export function projectFileFrom(folder: string): string | undefined {
  const above = dirname(folder);
  return projectFileIn(folder) ?? (above === folder ? undefined : projectFileFrom(above));
}
