import * as pulumi from "@pulumi/pulumi";
import { partsOf } from "../core/common/urn";
import { NAMESPACE, PLUGIN_KEY } from "../core/config/settings";
import { notTrueOrFalse, render } from "../core/messages";
import { dynamicType, pluginType, type ResourceKind } from "../core/platform/kinds";
import { oncePerRun } from "./perRun";
import { programError } from "./programError";
import { isOutput } from "./secrets";

interface Manifest {
  readonly version: string;
  readonly repository: { readonly url: string };
}

/** How the resources of a program reach the provider: as dynamic resources, or through the plugin. */
export interface Edge {
  /** The package of its explicit providers. */
  readonly packageName: string;
  readonly typeOf: (kind: ResourceKind) => string;
  /** Settings as its explicit providers take them. */
  readonly configOf: (settings: object) => pulumi.Inputs;
  /** The options that tell the engine which plugin to use. */
  readonly pluginSource: () => Pick<pulumi.ResourceOptions, "version" | "pluginDownloadURL">;
}

const DYNAMIC: Edge = {
  packageName: "pulumi-nodejs",
  typeOf: dynamicType,
  configOf: (settings) =>
    Object.fromEntries(Object.entries(settings).map(([key, value]) => [`${NAMESPACE}:${key}`, value])),
  pluginSource: () => ({}),
};

export const PLUGIN: Edge = {
  packageName: NAMESPACE,
  typeOf: pluginType,
  configOf: (settings) => ({ ...settings }),
  // The plugin of the installed release of this package.
  pluginSource: () => {
    const { version, repository } = require("pulumi-agent-platform/package.json") as Manifest;
    return { version, ...downloadsOf(repository.url) };
  },
};

/** Where the engine downloads the plugin. A fork may be at an address that has no releases on GitHub: then the plugin has to be installed. */
export function downloadsOf(repository: string): { readonly pluginDownloadURL?: string } {
  const [, slug] = /github\.com[/:]([^/]+\/[^/]+?)(?:\.git)?\/?$/.exec(repository) ?? [];
  return slug === undefined ? {} : { pluginDownloadURL: `github://api.github.com/${slug}` };
}

/** The edge over which the state of a resource may have been saved before. */
const otherThan = (edge: Edge): Edge => (edge === PLUGIN ? DYNAMIC : PLUGIN);

/** One setting chooses for all resources of a run, so that no program and no library in it can mix the two. */
export const edgeOfRun = oncePerRun((): Edge => {
  const text = new pulumi.Config(NAMESPACE).get(PLUGIN_KEY) ?? "false";
  if (text !== "true" && text !== "false") {
    throw programError(render(notTrueOrFalse(PLUGIN_KEY)));
  }
  return text === "true" ? PLUGIN : DYNAMIC;
});

export function optionsOn(
  edge: Edge,
  kind: ResourceKind,
  opts: pulumi.CustomResourceOptions = {},
): pulumi.CustomResourceOptions {
  const type = edge.typeOf(kind);
  const other = otherThan(edge).typeOf(kind);
  const { provider = inheritedProvider(opts.parent, type, other) } = opts;
  return {
    ...edge.pluginSource(),
    ...opts,
    ...(provider === undefined ? {} : { provider }),
    aliases: aliasesOn(type, other, opts.aliases),
  };
}

/** The options of an explicit provider. It has an alias because its type is part of the URNs of its children. */
export const providerOptionsOn = (edge: Edge, opts: pulumi.ResourceOptions = {}): pulumi.ResourceOptions => ({
  ...edge.pluginSource(),
  ...opts,
  aliases: aliasesOn(providerTypeOn(edge), providerTypeOn(otherThan(edge)), opts.aliases),
});

const providerTypeOn = ({ packageName }: Edge): string => `pulumi:providers:${packageName}`;

/** A component may have the provider under the package of the other edge. If only one package were asked for, the component's children could use the default account. */
const inheritedProvider = (parent: pulumi.Resource | undefined, type: string, other: string) =>
  parent?.getProvider(type) ?? parent?.getProvider(other);

type Alias = pulumi.Alias | pulumi.URN;

/**
 * The state may have been saved over the other edge, so each resource has the alias of the other type. Without it the engine would create the
 * resource again: a chat would be sent a second time. The program's own aliases count with either type.
 */
const aliasesOn = (type: string, other: string, own: pulumi.Input<Alias>[] = []): pulumi.Input<Alias>[] => [
  ...own,
  { type: other },
  ...own.map((alias) => onOtherEdge(alias, type, other)),
];

function onOtherEdge(alias: pulumi.Input<Alias>, type: string, other: string): pulumi.Input<Alias> {
  const otherOf = (known: string) => (known === type ? other : type);
  const swapped = (known: Alias): Alias => {
    if (typeof known === "string") {
      return known.replace(`${partsOf(known).type}::`, (old) => `${otherOf(old.slice(0, -2))}::`);
    }
    return { ...known, type: pulumi.output(known.type ?? type).apply(otherOf) };
  };
  return typeof alias === "object" && isOutput(alias)
    ? pulumi.output(alias as pulumi.Output<Alias>).apply(swapped)
    : swapped(alias as Alias);
}
