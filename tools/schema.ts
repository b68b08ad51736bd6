import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./reference/declarations";
import { packageSchema } from "./schema/schema";

/** Writes the plugin's schema; a test holds it against what is made in memory. */
writeFileSync(join(root, "provider/plugin/schema.json"), `${JSON.stringify(packageSchema(), null, 2)}\n`);
console.log("provider/plugin/schema.json");
