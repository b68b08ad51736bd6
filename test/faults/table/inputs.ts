import { type Fault, quiet, says } from "./fault";

const number = "test/resources/numberAssignment.spec.ts";
const posts = "test/resources/posts.spec.ts";
const endpoint = "test/client/endpoint.spec.ts";

/** Settings and arguments. */
export const INPUTS: readonly Fault[] = [
  {
    id: 47,
    fault: "A proxy variable that cannot be read: another kind of proxy, no address, a stray % in its password",
    read: says(
      "AGP-016 HTTPS_PROXY must begin with http:// or https://: this client knows no other kind of proxy. Nothing was sent.",
    ),
    heldBy: {
      "test/client/proxy.spec.ts": ["chooseProxy …"],
      "test/client/options.spec.ts": ["the options of a client refuse a proxy of another kind"],
    },
  },
  {
    id: 48,
    fault: "The base URL: http, a user name, a query, a metadata address, a path that leads elsewhere",
    read: says(
      "AGP-011 agent-platform:baseUrl: The base URL must use https: http would send the token unencrypted, and is accepted only on loopback.",
    ),
    heldBy: { [endpoint]: ["parseBaseUrl …"] },
  },
  {
    id: 49,
    fault: "The token: missing, empty, with a line break or the word Bearer, not ASCII, not known at preview",
    read: says(
      'AGP-014 agent-platform:accessToken (stack config): The access token begins with "Bearer": give only the token; the word is added when it is sent.',
    ),
    heldBy: {
      [endpoint]: ["parseToken …"],
      "test/core/readSettings.spec.ts": ["the access token is never quoted where it is refused"],
      "test/engine/settings.spec.ts": [
        "settings through the real engine are missed by name, all at once, and a preview needs no token",
      ],
      "test/engine/engineLimits.spec.ts": [
        "the limits of the engine asks nothing of a provider whose settings are not known at preview; the up asks, refuses and sends nothing",
      ],
    },
  },
  {
    id: 50,
    fault: "The number: `/`, `#`, `%`, `..`, control characters, other digits, 10,000 characters",
    read: says(
      'AGP-001 NumberAssignment "<name>" (+1 555 123): number ("+1 555 123") starts with `+`, so it must be in international format: `+`, the country code, at most 15 digits, nothing else.',
    ),
    heldBy: {
      [number]: ["NumberAssignment.check takes the number …", "NumberAssignment.check refuses … as international"],
      "test/client/buildUrl.spec.ts": ["buildUrl keeps any number one segment of four, or refuses it (property 16)"],
      "test/client/client.spec.ts": ["the client sends any number as one segment of the raw path (property 16)"],
    },
  },
  {
    id: 51,
    fault: "Control characters, half characters, 1 MB of text in any field",
    read: says('AGP-001 CommunityVoice "<name>": voiceName must hold no control or invisible characters.'),
    heldBy: {
      [posts]: ["CommunityVoice.check refuses a line break in a name", "SmsChat.check refuses metadata …"],
      [number]: [
        "NumberAssignment.check refuses a change of writing direction",
        "NumberAssignment.check refuses half a character",
      ],
      "test/client/redact.spec.ts": ["clean …"],
      "test/faults/wire.spec.ts": ["on the wire any text of a field comes back as it was sent"],
    },
  },
  {
    id: 52,
    fault: "A line break in what becomes a header",
    read: says('AGP-001 CommunityVoice "<name>": providerScope must hold no control or invisible characters.'),
    heldBy: {
      [posts]: ["CommunityVoice.check refuses CRLF in what becomes a header"],
      "test/client/client.spec.ts": ["the client refuses what cannot be sent as it is, and sends nothing"],
      "test/client/options.spec.ts": ["the options of a client refuse a header with a line break"],
    },
  },
  {
    id: 53,
    fault: "Weights: NaN, negative, all zero, another sum, the same agent twice",
    read: says('AGP-001 NumberAssignment "<name>" (<number>): inboundAgents[1].weight (-1) must not be negative.'),
    heldBy: {
      [number]: [
        "NumberAssignment.check refuses every bad entry at once",
        "NumberAssignment.check refuses weights that are all zero",
        "NumberAssignment.check refuses the same agent and version twice",
        "NumberAssignment.check refuses a sum that is not the total",
      ],
      "test/core/split.spec.ts": ["a split turns -0 into 0"],
      "test/client/wireRequests.spec.ts": ["assignmentToWire refuses the weight …"],
    },
  },
  {
    id: 54,
    fault: "A removal, of which the interface does not say how it is written",
    read: says(
      'AGP-052 NumberAssignment "<name>" (<number>): not cleared; tried null, empty, omit: inboundAgents: sent no agent, the platform returned <agents>.\n  The resource stays in the state.…',
    ),
    heldBy: {
      "test/resources/assignment.spec.ts": ["one number at the platform is cleared where …"],
      "test/resources/messages.spec.ts": [
        "a number whose answer differs reads AGP-052 where it is still bound, and stays in the state",
      ],
      "test/faults/profiles.spec.ts": [
        "a platform that reads the interface otherwise has every number as declared, and no perpetual diff: row 3, clears=…",
      ],
      "test/faults/deletes.spec.ts": ["a delete whose outcome is not known …"],
    },
  },
  {
    id: 55,
    fault: "Secrets among the arguments and settings",
    read: quiet("`[secret]`: in no preview, diff, log or message in clear, and encrypted in the state."),
    heldBy: {
      "test/engine/secrets.spec.ts": ["secrets through the real engine …"],
      "test/engine/secretInputs.long.spec.ts": ["secret and unknown inputs …"],
      "test/faults/leaks.spec.ts": [
        "what a run with faults leaves behind holds no secret argument in a message, a warning or a log",
      ],
    },
  },
  {
    id: 56,
    fault: "Values that are not known at preview, in any field",
    read: quiet("Nothing: the preview passes, sends nothing, and replaces no number by guess."),
    heldBy: {
      "test/engine/unknowns.spec.ts": [
        "values that are not known at preview pass, send nothing, and replace nothing but what would send again",
      ],
      [number]: ["unknown values of a NumberAssignment …"],
      [posts]: ["unknown values of a CommunityVoice and an SmsChat …"],
      "test/resources/properties.spec.ts": [
        "properties of every lifecycle an unknown value is a change, never hides a replacement that is known, and never adds one to a number",
      ],
    },
  },
];
