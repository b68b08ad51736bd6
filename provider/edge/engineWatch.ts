import { connect } from "node:http2";

/** The wait between two tries: a loop without one would use up the processor if each connection is closed at once. */
const AGAIN_MS = 100;
/** How many tries may fail before a connection has opened: the engine may have been killed while this process started. */
const FIRST_TRIES = 3;
let isWatching = false;

/** Is it the address of an engine? A test or a script that loads this package has none, and so no watch and no mark. */
export const isAddress = (text: string | undefined): text is string =>
  text !== undefined && /^[\w.[\]:-]+:\d+$/.test(text);

/**
 * Ends this process when its engine ends. Without an engine, what this process still sends is saved nowhere, and a PUT that it repeats
 * could reach the platform after that of the next run. An open connection closes at once when the engine has ended.
 */
export function endWithEngine(address: string | undefined): void {
  if (!isAddress(address) || isWatching) {
    return;
  }
  isWatching = true;
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
