import type { Io } from "../io";
import { runPulumi } from "./cli";

/** A stack's config as `pulumi config --json` prints it: a secret has no value there. */
export type StackConfig = Readonly<Record<string, { readonly value?: string; readonly secret: boolean }>>;

export const readConfig = async (stack: string, io: Io): Promise<StackConfig> =>
  JSON.parse(await runPulumi(["config", "--json", "--stack", stack], io)) as StackConfig;
