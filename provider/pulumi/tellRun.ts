import * as pulumi from "@pulumi/pulumi";
import { BASE_URL_ENV, NAMESPACE } from "../core/config/settings";
import { parseBaseUrl } from "../core/platform/endpoint";
import { existsOnce, identityOf, numbersOf } from "../core/routing/numberList";
import { ResourceError } from "../resources/lifecycle";
import type { Announced, RunFile } from "../resources/run/heard";
import { programError } from "./programError";
import { runFile } from "./programRun";
import { holdsOutput } from "./secrets";

/**
 * The program tells the provider processes of the run which numbers it declares. They hear of every resource that the engine asks them to
 * check, but not of one that `--target` or `--exclude` leaves out. The engine may also ask about the second holder of a number before the
 * first. So numbers that are no outputs are told at once, before the engine is asked for anything.
 * @param urn undefined if it is not known at once, or if the engine may check other numbers than the program has written
 */
export function tellRun(resource: pulumi.CustomResource, given: unknown, urn: string | undefined): void {
  const file = runFile();
  if (file === undefined) {
    return;
  }
  const endpoint = endpointInConfig();
  const atOnce = new Set(urn === undefined || holdsOutput(given) ? [] : listed(given));
  // It runs at once. Nothing handles what it throws, so the program ends as for any failed output.
  const tellNow = async () => {
    if (urn !== undefined) {
      tell(file, endpoint, { by: urn, numbers: [...atOnce] });
    }
  };
  void tellNow();
  const { number, numbers = number } = resource as { number?: Output; numbers?: Output };
  const registered = (resource.urn as unknown as Output).promise?.();
  Promise.all([registered, isSecret(given), resolved(given), numbers?.promise?.()]).then(
    ([by, hasSecret, ...values]) => {
      const later = values.flatMap(listed).filter((one) => !atOnce.has(one));
      if (typeof by === "string") {
        tell(file, endpoint, { by, numbers: later, isSecret: hasSecret });
      }
    },
    // The SDK reports the error.
    () => void file.report({ failed: true }),
  );
}

/** The platform of the stack, if the program knows it. */
function endpointInConfig(): string | undefined {
  const baseUrl = new pulumi.Config(NAMESPACE).get("baseUrl") || process.env[BASE_URL_ENV];
  return baseUrl === undefined ? undefined : parseBaseUrl(baseUrl).url;
}

interface Declaring {
  readonly by: string;
  readonly numbers: readonly string[];
  readonly isSecret?: boolean;
}

/** An extension is left to the provider processes, because the program does not know which account it is in. */
function tell(file: RunFile, endpoint: string | undefined, { by, numbers, isSecret = false }: Declaring): void {
  if (endpoint === undefined) {
    return;
  }
  const keys = numbers.filter(existsOnce).map((number) => file.keyOf(identityOf(number, endpoint, "")));
  if (keys.length > 0) {
    announce(file, { by, declares: [...new Set(keys)], ...(isSecret && { isSecret }) });
  }
}

/** A program that cannot tell what it declares fails, in one sentence. */
function announce(file: RunFile, told: Announced): void {
  try {
    file.announce(told);
  } catch (error) {
    throw error instanceof ResourceError ? programError(error.message) : error;
  }
}

const isSecret = async (given: unknown): Promise<boolean> =>
  holdsOutput(given) && pulumi.isSecret(pulumi.output(given) as pulumi.Output<unknown>);

/** The value of an output. `apply` would make another output, which would report a failure a second time. */
const resolved = (given: unknown): unknown =>
  holdsOutput(given) ? (pulumi.output(given) as unknown as Output).promise?.() : given;

/** An output of the SDK, whose types hide its promise. */
interface Output {
  promise?(): Promise<unknown>;
}

/** The numbers in an argument or output: one number, a list, a map from number to label, or the text that a group has as its output. */
function listed(value: unknown): string[] {
  if (typeof value === "string") {
    return value.endsWith("\n") ? numbersOf(value) : [value];
  }
  if (Array.isArray(value)) {
    return value.filter((item) => typeof item === "string");
  }
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}
