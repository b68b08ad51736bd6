/** A program in YAML, which stands in the Pulumi.yaml of its project. */

export interface YamlProject {
  readonly name: string;
  /** Does something set `reassert`? Then the program reads it. */
  readonly hasPipelines: boolean;
  /** What stands below `resources:`, indented by two. */
  readonly resources: string;
  readonly outputs?: string;
}

/** Where a project that has the npm package finds the plugin; without it, `pulumi plugin install` of an archive does. */
const PLUGINS = `plugins:
  providers:
    # The plugin comes with the npm package, in the version of package.json.
    - name: agent-platform
      path: node_modules/pulumi-agent-platform/plugin
`;

/** The pipelines' Re-assert sets this config value; without it in the program, that would change nothing. */
const REASSERT = `config:
  # A new value sends every routing again. The pipeline's Re-assert sets it.
  reassert:
    type: string
    default: ""
`;

export const TRIGGERS = `      triggers:
        reassert: \${reassert}
`;

export const yamlProject = ({ name, hasPipelines, resources, outputs = "" }: YamlProject): string =>
  `name: ${name}
runtime: yaml
description: The agents of our phone numbers
${PLUGINS}${hasPipelines ? REASSERT : ""}
resources:
${resources}${outputs === "" ? "" : `\noutputs:\n${outputs}`}`;

export const firstYaml = (name: string): string =>
  yamlProject({
    name,
    hasPipelines: true,
    resources: `  # Nine of ten calls go to version 12, one to version 13. To shift traffic, change both in a pull request.
  support:
    type: agent-platform:NumberGroup
    properties:
      numbers:
        "+15551230001": London support
        "+15551230002": Berlin support
      inboundAgents:
        agent_front@12: 90
        agent_front@13: 10
${TRIGGERS}`,
    outputs: `  split: \${support.inboundAgents}\n`,
  });
