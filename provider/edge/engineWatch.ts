import { connect } from "node:http2";

/** The wait between two tries: a server may close each connection at once, and a loop without a wait would use up the processor. */
const AGAIN_MS = 100;
/** If the engine was killed while this process started, no connection to it ever opened. */
const FIRST_TRIES = 3;
const watched = new Set<string>();

/** Is this the provider process of an engine? A test or a script that loads this package gets no watch and no run file. */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/**
 * Ends this process when its engine ends. Without an engine, what this process still sends is saved nowhere, and a PUT that it repeats
 * could reach the platform after that of the next run. An open connection closes at once when the engine is gone.
 */
export function endWithEngine(address: string | undefined): void {
  if (!isAddress(address) || watched.has(address)) {
    return;
  }
  watched.add(address);
  watch(address, FIRST_TRIES);
}

function watch(address: string, tries: number): void {
  let isThere = false;
  const session = connect(`http://${address}`);
  session.on("connect", () => {
    isThere = true;
    session.unref();
  });
  session.on("error", () => {});
  session.on("close", () => {
    const left = isThere ? 1 : tries - 1;
    if (left === 0) {
      process.exit(1);
    }
    setTimeout(() => watch(address, left), AGAIN_MS).unref();
  });
  session.unref();
}
