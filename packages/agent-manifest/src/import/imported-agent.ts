/** An agent that an importer found, with the facts from its file for which a definition has no field. */
import type { AgentDefinition } from '@mandate/schemas/agent-manifest';
import type { AgentLimits, NarrowingPolicy } from './imported.ts';
import type { PlacedTool } from './tool-shelf.ts';

type ToolPolicy = NonNullable<NarrowingPolicy['toolPolicies']>[string];

/** A JSON Schema of the arguments of a tool. */
export type ArgumentSchema = NonNullable<NonNullable<ToolPolicy['argumentValidation']>['schema']>;

export class ImportedAgent {
  readonly key: string;
  #definition: Omit<AgentDefinition, 'tools'>;
  readonly #tools = new Map<string, PlacedTool>();
  readonly #confirmed = new Set<string>();
  readonly #denied = new Set<string>();
  readonly #schemas = new Map<string, ArgumentSchema[]>();
  rateLimit: NarrowingPolicy['rateLimit'];
  allowedProviders: NarrowingPolicy['allowedProviders'];
  maxTurns: number | null = null;

  constructor(key: string, definition: Omit<AgentDefinition, 'type' | 'tools'>) {
    this.key = key;
    this.#definition = { type: 'agent', ...definition };
  }

  addInstructions(text: string): void {
    const { backstory = '' } = this.#definition;
    this.#definition = {
      ...this.#definition,
      backstory: backstory === '' ? text : `${backstory}\n\n${text}`,
    };
  }

  /**
   * Allows a tool. A tool that is named twice is listed once. Null stands for a tool without a valid name, and allows
   * nothing.
   */
  allow(placed: PlacedTool | null): void {
    if (placed !== null && !this.#tools.has(placed.tool)) this.#tools.set(placed.tool, placed);
  }

  /** Takes a tool away again. */
  disallow(tool: string): void {
    this.#tools.delete(tool);
  }

  get tools(): readonly PlacedTool[] {
    return [...this.#tools.values()];
  }

  /** Denies a tool, or the tools that match a pattern. */
  deny(pattern: string): void {
    this.#denied.add(pattern);
    this.disallow(pattern);
  }

  /** A person must approve each call of the tool. */
  confirm(tool: string): void {
    this.#confirmed.add(tool);
  }

  /** Requires a schema for the arguments of a tool, in addition to the schemas that were required before. */
  checkArguments(tool: string, schema: ArgumentSchema): void {
    const schemas = this.#schemas.get(tool);
    if (schemas === undefined) this.#schemas.set(tool, [schema]);
    else schemas.push(schema);
  }

  get definition(): AgentDefinition {
    return { ...this.#definition, tools: this.tools.map(({ entry }) => entry) };
  }

  /** The facts from the file for which the definition has no field. Null if there are none. */
  get limits(): AgentLimits | null {
    const toolPolicies = this.#toolPolicies();
    const policy: NarrowingPolicy = {
      ...(this.allowedProviders === undefined ? {} : { allowedProviders: this.allowedProviders }),
      ...(this.rateLimit === undefined ? {} : { rateLimit: this.rateLimit }),
      ...(this.#denied.size === 0 ? {} : { deniedTools: [...this.#denied] }),
      ...(toolPolicies.length === 0 ? {} : { toolPolicies: Object.fromEntries(toolPolicies) }),
    };
    if (Object.keys(policy).length === 0 && this.maxTurns === null) return null;
    return { agent: this.key, policy, ...(this.maxTurns === null ? {} : { maxTurns: this.maxTurns }) };
  }

  #toolPolicies(): (readonly [tool: string, policy: ToolPolicy])[] {
    return [...new Set([...this.#confirmed, ...this.#schemas.keys()])].map((tool) => {
      const [schema, ...more] = this.#schemas.get(tool) ?? [];
      const whole = more.length === 0 ? schema : { allOf: [schema ?? {}, ...more] };
      return [
        tool,
        {
          ...(this.#confirmed.has(tool) ? { requiresConfirmation: true } : {}),
          ...(whole === undefined ? {} : { argumentValidation: { schema: whole } }),
        },
      ];
    });
  }
}
