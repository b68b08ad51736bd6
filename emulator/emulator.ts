import { simulateCalls } from "./calls";
import { createFaults, type FaultHandle } from "./faults";
import { createPlatform } from "./platform";
import { defaultProfile, type Profile, resolveProfile } from "./profile";
import { hexFrom, uuidFrom } from "./random";
import { createRequestLog } from "./requestLog";
import { createEmulatorServer } from "./server";
import { type Account, routingOf } from "./store";
import type { Emulator, EmulatorOptions, NumberView, OfAccount } from "./types";

/** Starts the platform on 127.0.0.1. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { seed = 1, tokens = {}, basePath = "", workspaceId = 42 } = options;
  const token = options.token ?? Object.keys(tokens)[0] ?? `emulator-token-${hexFrom(seed, "token", 16)}`;
  const clock = options.clock ?? { now: () => new Date(), monotonic: () => performance.now() };
  const accountSid = options.accountSid ?? uuidFrom(seed, "account");
  const platform = createPlatform({ profile: resolveProfile(options.profile), seed, clock, accountSid, workspaceId });
  const first = platform.addToken(token, tokens[token]);
  for (const [other, owner] of Object.entries(tokens)) {
    if (other !== token) {
      platform.addToken(other, owner);
    }
  }

  const faults = createFaults();
  const log = createRequestLog();
  const { latencyMs = 0, onRequest = () => {} } = options;
  const server = createEmulatorServer({ platform, faults, log, basePath, latencyMs, onRequest });
  const port = await server.listen(options.port ?? 0);
  const pauses: FaultHandle[] = [];

  function accountOf(of: OfAccount): Account {
    const account = of.token === undefined ? first : platform.accountOf(of.token);
    if (account === undefined) {
      throw new Error("No account has this token.");
    }
    return account;
  }

  return {
    url: `http://127.0.0.1:${port}${basePath}`,
    port,
    token,
    requests: log.entries,
    ...first.posted,
    get numbers() {
      return viewsOf(first);
    },
    get profile() {
      return platform.profile;
    },
    routing(number, of = {}) {
      const stored = accountOf(of).numbers.get(number);
      return stored && routingOf(stored.bindings);
    },
    account(of = {}) {
      const account = accountOf(of);
      const { accountSid, workspaceId, posted } = account;
      return { accountSid, workspaceId, ...posted, numbers: viewsOf(account) };
    },
    calls(number, count, callsOptions = {}) {
      const agents = accountOf(callsOptions).numbers.get(number)?.bindings.inboundAgents ?? [];
      return simulateCalls(agents, count, { seed, drawnPer: platform.profile.callsDrawnPer, ...callsOptions });
    },
    inject(fault) {
      if (fault.kind === "refuse") {
        server.closeIdle();
      }
      return faults.inject(fault);
    },
    clearFaults: () => faults.clear(),
    pause(filter = {}) {
      pauses.push(faults.inject({ ...filter, kind: "hold", times: Number.POSITIVE_INFINITY }));
    },
    release() {
      for (const pause of pauses.splice(0)) {
        pause.release();
      }
    },
    setProfile(profile) {
      platform.profile = resolveProfile(profile);
    },
    addToken: (other, owner) => void platform.addToken(other, owner),
    revokeToken: (other) => platform.revokeToken(other),
    clearRequests: () => log.clear(),
    waitForRequests: (count) => log.waitFor(count),
    stopListening: () => server.stop(),
    async listenAgain() {
      await server.listen(port);
    },
    dump: () => ({
      profile: differing(platform.profile),
      requests: log.entries.length,
      accounts: structuredClone([...platform.accounts.values()]).map((account) => ({
        accountSid: account.accountSid,
        workspaceId: account.workspaceId,
        numbers: [...viewsOf(account).values()],
        ...account.posted,
      })),
    }),
    async close() {
      faults.clear();
      log.close();
      await server.stop();
    },
  };
}

function viewsOf(account: Account): ReadonlyMap<string, NumberView> {
  return new Map(
    [...account.numbers].map(([number, { accountSid, workspaceId, bindings }]) => [
      number,
      { number, accountSid, workspaceId, ...routingOf(bindings) },
    ]),
  );
}

function differing(profile: Profile): Partial<Profile> {
  const names = Object.keys(profile) as (keyof Profile)[];
  return Object.fromEntries(
    names.filter((name) => profile[name] !== defaultProfile[name]).map((name) => [name, profile[name]]),
  );
}
