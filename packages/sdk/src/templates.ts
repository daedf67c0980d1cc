/**
 * Mandates to begin with. Each states which tools are allowed, what they may cost, and how often they may be called, so
 * nothing is allowed only because a field is absent.
 */
import type { MandateDocument } from './types.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The limits that every template states. */
type Template = MandateDocument &
  Required<
    Pick<MandateDocument, 'allowedTools' | 'allowedModels' | 'maxCostTotal' | 'maxCostPerCall' | 'rateLimit'>
  >;

type Named = { allowedTools: readonly string[] };

/**
 * For a new agent that is not trusted yet: no tools, no models, and a budget of one dollar. Name the tools that it
 * needs.
 */
function restricted(overrides: MandateDocument = {}): MandateDocument {
  return narrowed(
    {
      allowedTools: [],
      allowedModels: [],
      maxCostTotal: 1,
      maxCostPerCall: 0.1,
      maxOpen: 1,
      rateLimit: { maxCalls: 10, windowMs: MINUTE_MS },
    },
    overrides,
  );
}

/** For the development of an agent: all tools and models, five dollars a day, and ten in total. */
function development(overrides: MandateDocument = {}): MandateDocument {
  return narrowed(
    {
      allowedTools: ['*'],
      allowedModels: ['*'],
      maxCostTotal: 10,
      maxCostPerCall: 1,
      budgets: [{ id: 'day', scope: 'agent', max: 5, windowMs: DAY_MS }],
      rateLimit: { maxCalls: 120, windowMs: MINUTE_MS },
    },
    overrides,
  );
}

/** For an agent in production. Its tools must be named. Its models must be named too. Otherwise no model is allowed. */
function production(overrides: MandateDocument & Named): MandateDocument {
  return narrowed(
    {
      allowedTools: [],
      allowedModels: [],
      maxCostTotal: 1_000,
      maxCostPerCall: 1,
      budgets: [
        { id: 'hour', scope: 'agent', max: 10, windowMs: HOUR_MS },
        { id: 'day', scope: 'agent', max: 50, windowMs: DAY_MS },
      ],
      rateLimit: { maxCalls: 600, windowMs: MINUTE_MS },
    },
    overrides,
  );
}

/**
 * For one task: the mandate expires an hour from now, unless `expiresAt` says otherwise. Its tools must be named.
 *
 * @param nowMs the present time, in milliseconds since the Unix epoch
 */
function temporary(overrides: MandateDocument & Named, nowMs: number = Date.now()): MandateDocument {
  return narrowed(
    {
      allowedTools: [],
      allowedModels: [],
      maxCostTotal: 1,
      maxCostPerCall: 0.5,
      rateLimit: { maxCalls: 60, windowMs: MINUTE_MS },
      expiresAt: new Date(nowMs + HOUR_MS).toISOString(),
    },
    overrides,
  );
}

export const templates = { restricted, development, production, temporary };

/** A field that is present with no value must not remove a limit. */
function narrowed(template: Template, overrides: MandateDocument): MandateDocument {
  const stated = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...template, ...Object.fromEntries(stated) };
}
