import type { dynamic } from "@pulumi/pulumi";
import type { HiddenInputs } from "../core/common/schemas";
import { NAMESPACE } from "../core/config/settings";
import { PROVIDER } from "../core/platform/kinds";
import { endWithEngine } from "../edge/engineWatch";
import { handlerFor, type Props } from "../edge/handler";
import { openingOnce, settingsOf, type Warn } from "../edge/session";
import { changingSaved, ResourceError } from "../resources/errors";
import type { Lifecycle } from "../resources/lifecycle";

/** The engine gives its address to each provider process as an argument. A test that loads this file has none. */
const [, script = "", argument] = process.argv;
const ENGINE_ADDRESS = /[\\/]cmd[\\/]dynamic-provider\b/.test(script) ? argument : undefined;
const ENGINE = { address: ENGINE_ADDRESS, hasMarkingProgram: ENGINE_ADDRESS !== undefined };

/** The engine keeps lines of standard error among the diagnostics. */
const warn: Warn = (text) => void process.stderr.write(`warning: ${text}\n`);

/** A lifecycle as the SDK's provider process calls it. */
export function dynamicHandler<Inputs extends HiddenInputs, State extends HiddenInputs>(
  lifecycle: Lifecycle<Inputs, State>,
): dynamic.ResourceProvider {
  const configured = (config?: dynamic.ConfigureRequest["config"]) =>
    handlerFor(
      lifecycle,
      openingOnce(() => settingsOf((key) => config?.get(`${NAMESPACE}:${key}`)), ENGINE, warn),
    );
  let handler = configured();

  return {
    // It does its work at once and never throws, because the SDK's process uses the provider before it awaits the promise.
    configure: ({ config }: dynamic.ConfigureRequest) => {
      endWithEngine(ENGINE_ADDRESS);
      handler = configured(config);
      return Promise.resolve();
    },

    async check(olds: Props, news: Props) {
      const checked = refusing(() => handler.check(olds, news));
      return "reasons" in checked
        ? checkFailures(news, checked.reasons)
        : { inputs: { ...placeholders(news), ...checked.inputs } };
    },

    async diff(id: string, olds: Props, news: Props) {
      return handler.diff(id, olds, news);
    },

    async create(inputs: Props) {
      const { id, state } = await withProperties(inputs, () => handler.create(inputs));
      return { id, outs: { ...state } };
    },

    async update(id: string, olds: Props, news: Props) {
      return { outs: { ...(await withProperties(news, () => handler.update(id, olds, news))) } };
    },

    // The state is handed back as it is, and never the inputs.
    async read(id: string, props: Props) {
      handler.read();
      return { id, props };
    },

    delete: (id: string, props: Props) => handler.delete(id, props),
  };
}

/** The secret placeholders of outputs arrive as null. They have to stay among the inputs, because the engine marks outputs as secret by the names of inputs. */
const placeholders = (props: Props): Props =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value === null));

/** The settings may be refused. The SDK's process would print an error of check, and the engine would print it once more. */
function refusing<T>(check: () => T): T | { readonly reasons: string[] } {
  try {
    return check();
  } catch (error) {
    if (error instanceof ResourceError) {
      return { reasons: [error.message] };
    }
    throw error;
  }
}

/** Without a property: with one the engine prints the property's value, which may be secret. */
const checkFailures = (news: Props, reasons: readonly string[]) => ({
  inputs: news,
  failures: reasons.map((reason) => ({ property: "", reason })),
});

/** The engine saves the resource of an error that has id, properties and reasons. A delete of that resource needs its `__provider`. */
const withProperties = <T>(inputs: Props, call: () => Promise<T>): Promise<T> =>
  changingSaved(call, (error) => {
    const properties = { ...error.state, [PROVIDER]: inputs[PROVIDER] };
    return Object.assign(error, { properties, reasons: [error.message] });
  });
