import {
  type Emulator,
  FAULTS,
  type Fault,
  type LoggedRequest,
  operationNames,
  startEmulator,
  switches,
} from "../../emulator";
import { ADMIN_PATH, type Status } from "../../emulator/admin";
import { InvalidArgument } from "../../emulator/errors";
import { isObject, parseJson } from "../../provider/base/json";
import { tokenAsSecret, withhold } from "../../provider/base/secrets";
import { clean, parseUrl, printable, printableLines } from "../../provider/base/text";
import { isToken, TOKEN_RULE } from "../../provider/config/settings";
import { counted } from "../../provider/words/message";
import { CLI, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { readText } from "../files";
import type { Io } from "../io";
import { columns, WIDTH, wrapColumns } from "../layout";
import { shellText } from "../shell";
import { untilSignalled } from "../signals";

const EMULATOR_OPTIONS = {
  port: {
    type: "string",
    value: "<n>",
    help: "default a free port; to control a running emulator, the port in AGENT_PLATFORM_BASE_URL",
  },
  token: { type: "string", value: "<text>", help: "the access token; default a generated one" },
  set: {
    type: "string",
    value: "<json>",
    help: "how it behaves where the API does not specify it",
  },
  platform: {
    type: "string",
    value: "<file>",
    help: "a record from `probe --json`: behave like that platform",
  },
  fault: {
    type: "string",
    multiple: true,
    value: "<fault>",
    help: "a fault that is active from the start, repeatable",
  },
  verbose: { type: "boolean", help: "print request bodies" },
} as const;

/**
 * The kinds of faults as users write them, each with its description. A `status` fault is written as its HTTP status.
 */
const FAULT_TEXTS = Object.entries(FAULTS).map(([kind, description]): [string, string] => [
  kind === "status" ? "503, 429, …" : kind,
  description,
]);

export const emulatorCommand = defineCommand({
  name: "emulator",
  group: "Know the platform",
  summary: "Run an emulator of the platform on this machine, with state, profiles and faults",
  usage: ["[options]", "status [--port <n>]", "<fault>... [--port <n>]", "none [--port <n>]"],
  examples: [
    `${CLI} emulator --port 8080`,
    `${CLI} emulator status --port 8080`,
    `${CLI} emulator 503:assignNumber:2 --port 8080`,
    `${CLI} emulator --set '{ "unknownAgents": "404" }'`,
    `${CLI} emulator --platform record.json`,
  ],
  about: `It listens on 127.0.0.1. Stop it with Ctrl-C. The other forms control an emulator that is already running: status prints
its numbers, chats, voices and faults; faults replace the current ones; none removes all faults. When faults are
replaced or removed, requests on hold get their response.

A fault is kind[:operation[:times[:number]]]. The times are 1 by default, or another number, or always. The kinds are:

${wrapColumns(FAULT_TEXTS)}

A fault may also be JSON with the fields that the package's inject function takes: '{ "kind": "reset", "applied": false }'.

The operations are ${operationNames.join(", ")}. The provider retries a PUT after most
faults, so a single fault may not fail a run. To make it fail, use assignNumber:always.

The switches of --set are:

${switches.map(({ name, values }) => `  ${name}: ${values.join(", ")}${name === "rateLimit" ? ", or another number" : ""}`).join("\n")}
  knownAgents: a list of agents such as ["agent_front@12", "agent_night"]`,
  options: EMULATOR_OPTIONS,
  positionals: { min: 0, max: 100, error: "Pass status, none or faults." },
  exitCodes: "0 stopped, or done; 2 wrong arguments, or no emulator is running there",
  page: "programs",
  async run({ values, positionals }, io) {
    if (positionals.length > 0) {
      io.stdout.write(await control(positionals, values.port, io));
      return 0;
    }
    const port = portIn(values.port);
    await serve({ ...values, port }, io).catch((error: NodeJS.ErrnoException) => {
      throw asUsageError(error, port);
    });
    return 0;
  },
});

// --- controlling a running emulator

async function control(args: readonly string[], port: string | undefined, { env }: Io): Promise<string> {
  const base = port === undefined ? (env.AGENT_PLATFORM_BASE_URL ?? "") : `http://127.0.0.1:${portIn(port)}`;
  const address = parseUrl(base);
  if (address?.hostname !== "127.0.0.1") {
    throw new UsageError("Pass the port of the running emulator: --port <n>.");
  }
  const [first] = args;
  if (args.length > 1 && (first === "status" || first === "none")) {
    throw new UsageError(`${first} cannot be combined with other arguments.`);
  }
  const request = first === "status" ? {} : faultsRequest(first === "none" ? [] : args.map(readFault));
  const body: unknown = await fetch(new URL(ADMIN_PATH, address), request)
    .then((reply) => reply.json())
    .catch(() => undefined);
  // If the response doesn't look like an emulator's, some other server may be listening on this port.
  if (!isObject(body) || !("error" in body || "faults" in body)) {
    throw new UsageError(`No emulator is running on ${base}.`);
  }
  if ("error" in body) {
    throw new UsageError(String(body.error));
  }
  return statusText(base, body as unknown as Status);
}

const faultsRequest = (faults: readonly Fault[]): RequestInit => ({
  method: "PUT",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ faults }),
});

function statusText(base: string, { workspaceId, requests, numbers, chats, voices, faults }: Status): string {
  const parts: [string, (readonly [string, string])[]][] = [
    ["Numbers", numbers.map(({ number, inboundAgents }) => [number, agentsText(inboundAgents)])],
    ["Chats", chats.map(({ chatId, toNumber, ended }) => [chatId, `to ${toNumber}${ended ? ", ended" : ""}`])],
    ["Voices", voices.map(({ voiceId, voiceName }) => [voiceId, String(voiceName)])],
    ["Faults", faults.map((fault) => [fault.kind === "status" ? `${fault.status}` : fault.kind, filterText(fault)])],
  ];
  const sections = parts.map(([title, rows]) => `\n${title}:\n${rows.length === 0 ? "  none" : columns(rows)}\n`);
  const head = `The emulator on ${base} (workspace ${workspaceId}) has received ${counted(requests, "request")}.\n`;
  return printableLines(head + sections.join(""));
}

const filterText = ({ operation, number, times }: Status["faults"][number]): string =>
  [
    operation ?? "each operation",
    ...(number === undefined ? [] : [number]),
    times === "always" ? times : `${times} more`,
  ].join(", ");

// --- starting an emulator

/**
 * Turns an error that the user caused into a UsageError: the port can't be opened, or an argument is invalid. Returns
 * any other error unchanged.
 */
function asUsageError(error: NodeJS.ErrnoException, port: number): Error {
  if (error.syscall === "listen") {
    const reason = error.code === "EADDRINUSE" ? "is in use" : `cannot be opened (${error.code})`;
    return new UsageError(`Port ${port} ${reason}. Use another one: --port ${port < 65_535 ? port + 1 : 8080}`);
  }
  return error instanceof InvalidArgument ? new UsageError(error.message) : error;
}

type Values = Omit<ValuesOf<typeof EMULATOR_OPTIONS>, "port"> & { readonly port: number };

function portIn(text: string | undefined): number {
  const port = wholeNumber("--port", text, 0);
  if (port > 65_535) {
    throw new UsageError(`--port takes a number up to 65535, not ${port}.`);
  }
  return port;
}

async function serve(values: Values, io: Io): Promise<void> {
  // Refuse a token that the provider doesn't accept, because every run against this emulator would then fail.
  if (values.token !== undefined && !isToken(values.token)) {
    throw new UsageError(`--token: ${TOKEN_RULE}`);
  }
  const faults = (values.fault ?? []).map(readFault);
  const recorded = values.platform === undefined ? {} : await readProfile(values.platform, io);
  const set = values.set === undefined ? {} : parseJson(values.set);
  if (!isObject(set)) {
    throw new UsageError(
      `--set takes JSON such as { "putStatus": 202 }, not ${values.set}. For the switches, see --help.`,
    );
  }
  const emulator = await startEmulator({
    port: values.port,
    profile: { ...recorded, ...set },
    ...(values.token !== undefined && { token: values.token }),
    onRequest: (request) => void io.stdout.write(requestText(request, emulator, values.verbose)),
  });
  try {
    for (const fault of faults) {
      emulator.inject(fault);
    }
    await untilSignalled(io.signal, (signal) => {
      // Register the handler before printing the banner. A program that started the emulator may send the signal as
      // soon as it has read the banner.
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      io.stdout.write(`The platform's emulator listens on ${emulator.url} (workspace ${emulator.workspaceId}).
Ctrl-C stops it.

  export AGENT_PLATFORM_BASE_URL=${emulator.url}
  export AGENT_PLATFORM_ACCESS_TOKEN=${shellText(emulator.token)}

`);
      return signal.aborted ? Promise.resolve() : stopped;
    });
  } finally {
    await emulator.close();
  }
}

/** Reads a platform's profile from the output of `probe --json`, so that the emulator can imitate that platform. */
async function readProfile(file: string, io: Io): Promise<object> {
  const record = parseJson(await readText(file, io));
  if (!isObject(record) || !isObject(record.profile)) {
    throw new UsageError(`${file} is not a record of \`${CLI} probe --json\`.`);
  }
  return record.profile;
}

function wholeNumber(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) {
    return otherwise;
  }
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`${option} must be a whole number, not "${text}".`);
  }
  return Number(text);
}

/**
 * Parses a fault, written as JSON or as `kind:operation:times:number`. For example, `503:assignNumber:2` is a `status`
 * fault that occurs twice.
 */
function readFault(text: string): Fault {
  if (text.startsWith("{")) {
    return (parseJson(text) as Fault | undefined) ?? refuseFault(`"${text}" is not valid JSON`);
  }
  const [kind = "", operation, times = "1", number] = text.split(":");
  const isStatus = /^\d{3}$/.test(kind);
  if (!isStatus && !FAULT_TEXTS.some(([known]) => known === kind)) {
    refuseFault(`There is no fault of the kind "${kind}"`);
  }
  if (operation && !operationNames.includes(operation)) {
    refuseFault(`There is no operation "${operation}"`);
  }
  return {
    kind: isStatus ? "status" : kind,
    ...(isStatus && { status: Number(kind) }),
    ...(operation && { operation }),
    ...(number && { number }),
    times: times === "always" ? times : wholeNumber("The number of times", times || "1", 1),
  } as Fault;
}

function refuseFault(problem: string): never {
  throw new UsageError(`${problem}. To see how a fault is written, use --help.`);
}

/**
 * Returns the log entry for a request: the request, its status and the state after it, on one line if that fits.
 * @param hasBody whether to add the request's body, as --verbose asks for
 */
function requestText(request: LoggedRequest, emulator: Emulator, hasBody = false): string {
  const fault = request.fault === undefined ? "" : ` [${request.fault}${request.applied ? ", applied" : ""}]`;
  const line = printable(`${request.method} ${request.path} ${request.status ?? "cut"}${fault}`);
  const state = printable(stateAfter(request, emulator));
  const isWide = line.length + state.length > WIDTH - 2;
  const body =
    hasBody && request.rawBody !== ""
      ? `  ${clean(withhold(request.rawBody, tokenAsSecret(emulator.token)), 10_000)}\n`
      : "";
  return `${`${line}${isWide ? "\n" : ""}  ${state}`.trimEnd()}\n${body}`;
}

/**
 * Returns the number's inbound agents after the request, or the ID of the new voice or chat. A fault may keep these
 * from the client, so the log shows them.
 */
function stateAfter({ number = "", createdId }: LoggedRequest, emulator: Emulator): string {
  const routing = emulator.routing(number);
  return routing === undefined ? (createdId ?? "") : agentsText(routing.inboundAgents);
}

const agentsText = (agents: Readonly<Record<string, number>>): string =>
  Object.entries(agents)
    .map(([agent, weight]) => `${agent} ${weight}`)
    .join(", ") || "no inbound agents";
