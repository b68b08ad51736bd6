import type { dynamic } from "@pulumi/pulumi";
import type { Message } from "../core/messages";
import * as messages from "../core/messages";
import type { SettingsRead } from "../core/readSettings";
import { type Lifecycle, ResourceError, SavedError, type Session } from "../resources/lifecycle";
import { sessionFor } from "./session";
import { settingsOf } from "./settings";

type Props = Record<string, unknown>;
type Opened = { session: Session } | { problems: Message[] };

/** What the engine calls, in terms of a lifecycle: it strips and adds what is the engine's own, and words what went wrong. */
export function handlerFor<Inputs extends object, State extends object>(
  lifecycle: Lifecycle<Inputs, State>,
): dynamic.ResourceProvider {
  let config: dynamic.ConfigureRequest["config"] | undefined;
  let opened: Opened | undefined;

  /** Settings are read once: a process lives for one run, and is configured before its first call. */
  function tryOpen(): Opened {
    opened ??= openWith(settingsOf(config));
    return opened;
  }

  /** Bad settings fail each call; a provider that was configured once is never left without them. */
  function open(): Session {
    const read = tryOpen();
    if ("session" in read) return read.session;
    throw new ResourceError({
      code: read.problems[0]?.code ?? "AGP-015",
      text: read.problems.map(problemText).join("\n"),
    });
  }

  return {
    // Synchronous, and it never throws: the engine's host caches the provider before it awaits this.
    configure: (request: dynamic.ConfigureRequest) => {
      config = request.config;
      opened = undefined;
      return Promise.resolve();
    },

    async check(olds: Props, news: Props) {
      const read = tryOpen();
      if ("problems" in read) return refusal(news, read.problems.map(problemText));
      const { session } = read;
      const saved = Object.keys(olds).length === 0 ? undefined : strip(olds);
      // With `ignoreChanges: ["*"]` the engine hands back our own inputs, and which platform it is, is never the program's to say.
      const { endpoint: _, account: __, ...given } = strip(news);
      const checked = lifecycle.check(saved, given, session.settings);
      const failures = [
        ...checked.failures,
        ...closedGuards(checked.trips, session, () => lifecycle.who(checked.inputs)),
      ];
      if (failures.length > 0)
        return refusal(
          news,
          failures.map(({ text }) => text),
        );
      session.sweep(checked.declares.length);
      session.declared.declareAll(checked.declares);
      const { routingFor } = checked;
      if (routingFor) for (const number of checked.declares) session.memory.wanted.set(number, routingFor);
      checked.warnings.forEach(session.warn);
      return { inputs: { ...placeholders(news), ...checked.inputs } };
    },

    async diff(id: string, olds: Props, news: Props) {
      const session = open();
      const wanted = strip(news) as Inputs;
      const diff = lifecycle.diff(id, lifecycle.readState(strip(olds), id), wanted, session.settings);
      const closed = closedGuards(diff.trips, session, () => lifecycle.who(wanted));
      if (closed.length > 0) throw new ResourceError(joined(lifecycle.who(wanted), closed));
      diff.notes.forEach(session.warn);
      if (diff.settles) session.memory.settled.add(id);
      const { changes, replaces, deleteBeforeReplace } = diff;
      return { changes, replaces, deleteBeforeReplace };
    },

    async create(inputs: Props) {
      const { id, state } = await saving(inputs, () => lifecycle.create(strip(inputs) as Inputs, open()));
      return { id, outs: { ...state } };
    },

    async update(id: string, olds: Props, news: Props) {
      const state = await saving(news, () =>
        lifecycle.update(id, lifecycle.readState(strip(olds), id), strip(news) as Inputs, open()),
      );
      return { outs: { ...state } };
    },

    // There is no read endpoint: the state is handed back as it is, and never the inputs.
    async read(id: string, props: Props) {
      const read = tryOpen();
      if ("session" in read) read.session.warn(messages.refreshReadsNothing(lifecycle.kind));
      return { id, props };
    },

    async delete(id: string, props: Props) {
      const session = open();
      await lifecycle.delete(id, lifecycle.readState(strip(props), id), session);
    },
  };
}

const openWith = (read: SettingsRead): Opened =>
  "settings" in read ? { session: sessionFor(read.settings) } : { problems: read.problems };

/** Without the provider's text, and without nulls: an argument that is null is as good as left out. */
const strip = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([key, value]) => key !== "__provider" && value !== null));

/** A secret placeholder of an output arrives as null; it has to stay among the inputs, for the engine marks outputs by their names. */
const placeholders = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value === null));

const problemText = ({ code, text }: Message): string => `${code} ${text}`;

/** Without a property: with one the engine prints the property's value, which may be secret. */
const refusal = (news: Props, reasons: readonly string[]) => ({
  inputs: news,
  failures: reasons.map((reason) => ({ property: "", reason })),
});

/** The guards that stop a change: none where an operator has opened them for this run, and says why. */
function closedGuards(trips: readonly Message[], session: Session, who: () => string): readonly Message[] {
  const { override } = session.settings;
  if (override === undefined || trips.length === 0) return trips;
  // The engine prints this line without the resource's name.
  session.warn(
    messages.guardsOpen(
      override,
      trips.map((trip) => messages.about(who(), trip)),
    ),
  );
  return [];
}

function joined(who: string, all: readonly Message[]): Message {
  const [first] = all as [Message];
  return { code: first.code, text: all.map((message) => messages.about(who, message).text).join("\n") };
}

/** An error with id, properties and reasons makes the engine save what may exist; delete needs the provider's text among them. */
async function saving<T>(inputs: Props, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof SavedError)) throw error;
    const properties = { ...error.state, __provider: inputs.__provider };
    throw Object.assign(new ResourceError({ code: error.code, text: error.message }), {
      id: error.id,
      properties,
      reasons: [error.message],
    });
  }
}
