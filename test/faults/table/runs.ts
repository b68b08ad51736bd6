import { type Fault, quiet, says } from "./fault";

const kills = "test/faults/kills.long.spec.ts";
const limits = "test/engine/engineLimits.long.spec.ts";
const runbooks = "test/docs/runbooks.long.spec.ts";
const killed = (at: string) => `a process that is killed in the middle of a run loses nothing: ${at}`;
const unresolved = "test/engine/unresolved.spec.ts";

/** Runs that end too early, several at once, and what the state and the machine do. */
export const RUNS: readonly Fault[] = [
  {
    id: 29,
    fault: "The platform acts, the connection is lost, and then the process is killed",
    read: quiet("As row 30."),
    heldBy: { [kills]: [killed("SIGKILL to the cli at request 3, applied")] },
  },
  {
    id: 30,
    fault: "The CLI is killed between the platform's answer and the state",
    read: quiet(
      "The engine warns of a pending operation. The provider's process ends with the engine. A number is sent again by the next run; for a voice or a chat [look first](../../docs/runbooks/killed-run.md).",
    ),
    heldBy: {
      "test/faults/engineGone.spec.ts": ["a provider process whose engine is gone ends, and sends no further number"],
      "test/faults/killedGroup.spec.ts": [
        "a run whose CLI is killed in the middle of a group leaves no process that sends, and the next run applies what it declares",
      ],
      [kills]: [killed("SIGKILL to the cli at request 3, applied")],
      [runbooks]: ["docs/runbooks killed-run.md"],
    },
  },
  {
    id: 31,
    fault: "The provider's process is killed while a request is under way",
    read: quiet("The engine's error. A number is sent again by the next run; a voice or a chat as in row 30."),
    heldBy: {
      [kills]: [killed("SIGKILL to the provider at request 4, applied")],
      "test/resources/numberGroupFailures.spec.ts": [
        "NumberGroup when numbers fail finishes in the next run what a killed provider left",
      ],
    },
  },
  {
    id: 32,
    fault: "Ctrl-C or SIGTERM once, Ctrl-C twice",
    read: quiet("Once: what is under way finishes and is saved. Twice: as row 30. No process is left."),
    heldBy: {
      [kills]: [
        killed("SIGINT to the cli at request 2, applied"),
        killed("SIGTERM to the cli at request 5, not applied"),
      ],
      [limits]: ["the limits of the engine stopped twice, it leaves no process, and the next runs end as declared"],
    },
  },
  {
    id: 33,
    fault: "The state cannot be written: a full disk, a folder that is gone",
    read: quiet("The engine's error. Once it can be written, the next run sends the number again; `doctor` compares."),
    heldBy: {
      [limits]: [
        "the limits of the engine a state that cannot be written fails the run; once it can, the next runs end as declared",
      ],
    },
  },
  {
    id: 43,
    fault: "Two runs of one stack at the same time",
    read: quiet("The engine: the stack is currently locked. The second run sends nothing."),
    heldBy: {
      "test/engine/backends.long.spec.ts": [
        "PostgreSQL as the state's backend refuses a second pipeline on the same stack, which sends nothing; the first one ends as if alone",
      ],
      [runbooks]: ["docs/runbooks stale-lock.md"],
    },
  },
  {
    id: 44,
    fault: "The same number in two resources",
    read: says(
      'AGP-003 NumberAssignment "b" (<number>): number <number> is declared twice: by NumberAssignment "a" and by NumberAssignment "b". Remove one of them: otherwise they overwrite each other in every run.',
    ),
    heldBy: {
      "test/plugin/duplicateNumbers.spec.ts": [
        "a number that a program declares twice, through the plugin is refused …",
      ],
      "test/edge/runFile.spec.ts": [
        "what the processes of a run tell each other tells two resources that declare one number: the second in the file is refused, whichever process asks",
      ],
      "test/cli/doctor.spec.ts": [
        "agent-platform doctor finds a number that two stacks hold, by its platform, account and workspace",
      ],
    },
  },
  {
    id: 45,
    fault: "1,000 resources at a limit of ten requests a second",
    read: quiet("Nothing: all of them wait for their turn, and none fails."),
    heldBy: {
      "test/client/exchange.spec.ts": [
        "an exchange none of 1,000 numbers fails at 10 a second, though the last waits far longer than the deadline (F45)",
      ],
      "test/client/limiter.spec.ts": ["the limiter learns the rate of …"],
    },
  },
  {
    id: 57,
    fault: "A state that an older version wrote",
    read: quiet("Nothing: an upgrade changes nothing."),
    heldBy: {
      "test/upgrade/states.spec.ts": [
        "a state of an earlier release previews empty, refreshes, updates and is destroyed: …",
      ],
    },
  },
  {
    id: 58,
    fault: "A state that a hand has edited",
    read: says(
      'AGP-080 NumberAssignment "<name>": the saved state cannot be read: endpoint is missing or of the wrong type.…',
    ),
    heldBy: {
      "test/resources/messages.spec.ts": [
        "a saved state that a hand has edited is refused with what is missing: AGP-080",
      ],
      "test/faults/recovery.spec.ts": ["a state that a hand has edited …"],
    },
  },
  {
    id: 59,
    fault: "The clock is wrong by a day, or jumps",
    read: quiet("Nothing: waits are measured by a clock that never jumps, and a Retry-After date by the server's own."),
    heldBy: {
      "test/client/rateLimit.spec.ts": [
        "rate limits every operation is sent again after 429, a date by the server's clock (F25, F26)",
      ],
      "test/client/limiter.spec.ts": ["the limiter forgets a pause after an hour, whatever was asked"],
    },
  },
  {
    id: 60,
    fault: "1,000 numbers, 10,000, 100,000",
    read: quiet("Nothing: here are [the figures](../../docs/scale.md)."),
    heldBy: {
      "test/resources/numberGroupCost.spec.ts": ["what a call of the provider loads and sends …"],
      "test/cli/reportAnyPreview.spec.ts": ["the size of a report …"],
    },
  },
  {
    id: 61,
    fault: "A chat had ended before, is ended twice, or is not known any more",
    read: says(
      'AGP-065 SmsChat "<name>": chat "<id>" counts as ended: the platform returned 410 to the request to end it.',
    ),
    heldBy: {
      "test/resources/messages.spec.ts": ["a POST of which nobody knows reads AGP-065 where the chat had ended"],
      "test/faults/profiles.spec.ts": [
        "a platform that reads the interface otherwise adds a voice once and starts a chat once: row 22, endedChat=…",
      ],
    },
  },
  {
    id: 62,
    fault: "A destroy while the platform is down",
    read: says(
      'AGP-035 NumberAssignment "<name>" (<number>): delete not sent: connection refused by <host> …\n  The resource stays in the state.…',
    ),
    heldBy: {
      "test/faults/recovery.spec.ts": [
        "a destroy while the platform is down keeps everything, and the next one finishes",
      ],
    },
  },
  {
    id: 63,
    fault: "The machine runs short: open files, memory, a reader of the output; the provider's process dies of itself",
    read: says(
      'AGP-035 NumberAssignment "<name>" (<number>): create not sent: too many open files for a connection to <host> …',
    ),
    heldBy: {
      "test/faults/wire.spec.ts": ["on the wire no open file is left: nothing is sent, by a POST either, and said so"],
      "test/faults/machine.spec.ts": [
        "where the machine runs short of memory, the call fails at once and nothing hangs",
        "where the machine runs short of readers, for the engine's ends of the pipes are gone: the call under way is answered, and the next one",
      ],
      [kills]: [killed("SIGKILL to the provider at request 4, applied")],
    },
  },
  {
    id: 65,
    fault: "Refresh, an edit, a targeted run or a destroy while a voice or a chat is unresolved",
    read: says(
      'AGP-044 SmsChat "<name>": unresolved since an earlier run. The chat to <number> may have been started…',
    ),
    heldBy: {
      [unresolved]: [
        "a POST whose outcome nobody knows is saved, told in each run, never sent again by itself, and resolved by adopt or one retry",
      ],
      "test/resources/posts.spec.ts": ["CommunityVoice.diff unresolved -> …", "SmsChat.diff unresolved -> …"],
    },
  },
];
