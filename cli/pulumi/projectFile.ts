import { join } from "node:path";
import { exists } from "../io";

/** The file of the Pulumi project in a folder. Pulumi reads both names. */
export const projectFileIn = (folder: string): string | undefined =>
  ["Pulumi.yaml", "Pulumi.yml"].map((name) => join(folder, name)).find(exists);
