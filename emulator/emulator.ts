import { simulateCalls } from "./calls";
import { createFaults } from "./faults";
import { createPlatform } from "./platform";
import { resolveProfile } from "./profile";
import { hexFrom, uuidFrom } from "./random";
import { createRequestLog } from "./requestLog";
import { createEmulatorServer } from "./server";
import { type Account, routingOf } from "./store";
import type { Emulator, EmulatorOptions, NumberView } from "./types";

/** Starts an emulator on 127.0.0.1. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { seed = 1, onRequest = () => {} } = options;
  const token = options.token ?? `emulator-token-${hexFrom(seed, "token", 16)}`;
  const clock = options.clock ?? { now: () => new Date(), monotonic: () => performance.now() };
  const owner = { accountSid: uuidFrom(seed, "account"), workspaceId: 42 };
  const platform = createPlatform({ profile: resolveProfile(options.profile), seed, clock, token, ...owner });
  const { account } = platform;

  const faults = createFaults();
  const log = createRequestLog();
  const server = createEmulatorServer({ platform, faults, log, onRequest });
  const port = await server.listen(options.port ?? 0);

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    token,
    requests: log.entries,
    ...owner,
    ...account.posted,
    get numbers() {
      return viewsOf(account);
    },
    routing(number) {
      const stored = account.numbers.get(number);
      return stored && routingOf(stored.routing);
    },
    calls: (number, count) => simulateCalls(account.numbers.get(number)?.routing.inboundAgents ?? [], count, seed),
    inject: (fault) => faults.inject(fault),
    clearFaults: () => faults.clear(),
    setProfile(profile) {
      platform.profile = resolveProfile(profile);
    },
    setToken(newToken) {
      platform.token = newToken;
    },
    clearRequests: () => log.clear(),
    waitForRequests: (count) => log.waitFor(count),
    stopListening: () => server.stop(),
    async listenAgain() {
      await server.listen(port);
    },
    async close() {
      faults.clear();
      log.close();
      await server.stop();
    },
  };
}

function viewsOf(account: Account): ReadonlyMap<string, NumberView> {
  return new Map(
    [...account.numbers].map(([number, { accountSid, workspaceId, routing }]) => [
      number,
      { number, accountSid, workspaceId, ...routingOf(routing) },
    ]),
  );
}
