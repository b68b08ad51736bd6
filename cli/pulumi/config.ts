import type { Io } from "../io";
import { type PulumiCli, runPulumi } from "./cli";

/** A stack's config as `pulumi config --json` prints it: a secret has no value there. */
export type StackConfig = Readonly<Record<string, { readonly value?: string; readonly secret: boolean }>>;

/** @param file the stack's config file, if it is not Pulumi.<stack>.yaml */
export async function readConfig(cli: PulumiCli, stack: string, io: Io, file?: string): Promise<StackConfig> {
  const fileArgs = file === undefined ? [] : ["--config-file", file];
  return JSON.parse(await runPulumi(cli, ["config", "--json", "--stack", stack, ...fileArgs], io)) as StackConfig;
}
