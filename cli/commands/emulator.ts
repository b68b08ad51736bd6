import {
  defaultProfile,
  type Emulator,
  FAULTS,
  type Fault,
  type LoggedRequest,
  operationNames,
  startEmulator,
  switches,
} from "../../emulator";
import { clean, printable } from "../../provider/core/common/redact";
import { CALLED, defineCommand, type ValuesOf } from "../command";
import { UsageError } from "../errors";
import { type Io, shellText, WIDTH, wrappedColumns } from "../io";
import { untilSignalled } from "../signals";

const EMULATOR_OPTIONS = {
  port: { type: "string", value: "<n>", help: "the port; default a free one" },
  token: { type: "string", value: "<text>", help: "the access token; default a generated one" },
  set: {
    type: "string",
    multiple: true,
    value: "<switch=value>",
    help: "how the platform behaves if its interface does not specify it; repeatable",
  },
  fault: {
    type: "string",
    multiple: true,
    value: "<fault>",
    help: "kind[:operation[:times]]; times is 1, a number or always; repeatable",
  },
  verbose: { type: "boolean", help: "print the body of each request as well" },
} as const;

/** `hold` needs a program that releases. A status is written as itself. */
const FAULT_TEXTS = Object.entries(FAULTS).flatMap(([kind, { says }]): [string, string][] =>
  kind === "hold" ? [] : [[kind === "status" ? "503, 429, …" : kind, says]],
);

export const emulatorCommand = defineCommand({
  name: "emulator",
  group: "Know the platform",
  summary: "Run an emulator of the platform on this machine, with state, profiles and faults",
  usage: ["[options]"],
  examples: [`${CALLED} emulator --port 8080`, `${CALLED} emulator --fault 503:assignNumber:2`],
  about: `It listens on 127.0.0.1. Stop it with Ctrl-C.

The kinds of --fault are:

${wrappedColumns(FAULT_TEXTS)}

Its operations are ${operationNames.join(", ")}. The provider sends a PUT again after most of them, so
one fault may leave a run green: assignNumber:always does not.

The switches of --set are:

${switches.map(({ name, values, open }) => `  ${name}: ${values.join(", ")}${open ? ", or another number" : ""}`).join("\n")}
  knownAgents: agents with commas, such as agent_front@12,agent_night`,
  options: EMULATOR_OPTIONS,
  takes: { least: 0, most: 0, rule: "emulator takes only options." },
  exitCodes: "0 stopped, 2 wrong arguments: not started",
  page: "programs",
  async run({ values }, io) {
    const port = portIn(values.port);
    await serve({ ...values, port }, io).catch((error: NodeJS.ErrnoException) => {
      throw refusalOf(error, port);
    });
    return 0;
  },
});

/** The emulator throws a plain Error in one sentence about wrong arguments. Anything else is a bug, but for what Node says of a port. */
function refusalOf(error: NodeJS.ErrnoException, port: number): Error {
  if (error.syscall === "listen") {
    const why = error.code === "EADDRINUSE" ? "is in use" : `cannot be opened (${error.code})`;
    return new UsageError(`Port ${port} ${why}. Take another: --port ${port < 65_535 ? port + 1 : 8080}`);
  }
  return error.constructor === Error ? new UsageError(error.message) : error;
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
  const faults = (values.fault ?? []).map(readFault);
  const profile = Object.fromEntries((values.set ?? []).map(readSwitch));
  const emulator = await startEmulator({
    port: values.port,
    profile,
    ...(values.token !== undefined && { token: values.token }),
    onRequest: (request) => void io.stdout.write(requestText(request, emulator, values.verbose)),
  });
  try {
    for (const fault of faults) {
      emulator.inject(fault);
    }
    await untilSignalled(io.signal, (signal) => {
      // A program may read the banner, and send the signal at once.
      const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      io.stdout.write(banner(emulator));
      return signal.aborted ? Promise.resolve() : stopped;
    });
  } finally {
    await emulator.close();
  }
}

function banner(emulator: Emulator): string {
  return `The platform's emulator listens on ${emulator.url} (workspace ${emulator.workspaceId}).
Ctrl-C stops it.

  export AGENT_PLATFORM_BASE_URL=${emulator.url}
  export AGENT_PLATFORM_ACCESS_TOKEN=${shellText(emulator.token)}

`;
}

function wholeNumber(option: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) {
    return otherwise;
  }
  if (!/^\d{1,9}$/.test(text)) {
    throw new UsageError(`${option} takes a whole number, not "${text}".`);
  }
  return Number(text);
}

/** `switch=value`, typed as the default is: a number, a list with commas, or text. */
function readSwitch(text: string): [string, unknown] {
  const [name = "", ...rest] = text.split("=");
  const value = rest.join("=");
  const standard = Object.entries(defaultProfile).find(([candidate]) => candidate === name)?.[1];
  if (standard === undefined || rest.length === 0) {
    throw new UsageError(`--set takes switch=value, not "${text}". --help lists the switches.`);
  }
  const typed = typeof standard === "number" ? wholeNumber(`--set ${name}`, value, standard) : value;
  return [name, Array.isArray(standard) ? value.split(",") : typed];
}

/** `kind:operation:times`. A status may be written for the kind, and `always` for the times. */
function readFault(text: string): Fault {
  const [named = "", operation, times = "1"] = text.split(":");
  const isStatus = /^\d{3}$/.test(named);
  if (!isStatus && !FAULT_TEXTS.some(([kind]) => kind === named)) {
    throw new UsageError(`--fault: "${named}" is not a kind. --help lists them.`);
  }
  if (operation && !operationNames.includes(operation)) {
    throw new UsageError(`--fault: "${operation}" is not an operation. --help lists them.`);
  }
  return {
    kind: isStatus ? "status" : named,
    ...(isStatus && { status: Number(named) }),
    ...(operation && { operation: operation as Fault["operation"] }),
    times: times === "always" ? Number.POSITIVE_INFINITY : wholeNumber("--fault times", times, 1),
  } as Fault;
}

/** What was requested and what its number has then, in one line if a terminal is so wide; and its body, if that is asked for. */
function requestText(request: LoggedRequest, emulator: Emulator, hasBody = false): string {
  const fault = request.fault === undefined ? "" : ` [${request.fault}${request.applied ? ", applied" : ""}]`;
  const line = printable(`${request.method} ${request.path} ${request.status ?? "cut"}${fault}`);
  const state = printable(stateAfter(request, emulator));
  const isWide = line.length + state.length > WIDTH - 2;
  const body = hasBody && request.rawBody !== "" ? `  ${clean(request.rawBody, emulator.token, 10_000)}\n` : "";
  // Whatever was sent, the token is not printed.
  return `${`${line}${isWide ? "\n" : ""}  ${state}`.trimEnd()}\n${body}`;
}

/** The inbound agents of a number after the request, with their weights. */
function stateAfter({ number = "" }: LoggedRequest, emulator: Emulator): string {
  const routing = emulator.routing(number);
  const agents = Object.entries(routing?.inboundAgents ?? {}).map(([agent, weight]) => `${agent} ${weight}`);
  return routing === undefined ? "" : agents.join(", ") || "no inbound agents";
}
