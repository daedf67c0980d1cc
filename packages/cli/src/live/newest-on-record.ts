/** The first lines of `tail`: the newest records in the audit that match the same filters as its stream. */
import type { ApiClient, Query } from '@mandate/client';
import type { Filters } from '../audit/filters.ts';
import type { ShownControlEvent } from '../output/control-event-line.ts';
import type { ShownDecision } from '../output/decision-line.ts';

type FoundDecision = ShownDecision & { id: string };
type FoundControlEvent = ShownControlEvent & { id: string };
export type Found = FoundDecision | FoundControlEvent;

/**
 * The filters that the stream can apply to control events. If other filters are set, the stream sends no control
 * events.
 */
const KNOWN: readonly string[] = ['agent', 'action'];

export function isControlEvent(found: Found): found is FoundControlEvent {
  return 'happenedAt' in found;
}

/** @param events the names of the events; if absent, the events that the stream sends by default */
export async function newestOnRecord(
  api: ApiClient,
  filters: Filters,
  query: Query,
  { events, limit }: { events: readonly string[] | undefined; limit: number },
): Promise<readonly Found[]> {
  const names = events ?? [
    'decision',
    ...(Object.keys(filters).every((name) => KNOWN.includes(name)) ? ['control'] : []),
  ];
  const found: Found[] = [];
  if (names.includes('decision')) {
    const { decisions } = await api.get<{ decisions: FoundDecision[] }>('/v1/audit/decisions', {
      ...query,
      limit,
    });
    found.push(...decisions.toReversed());
  }
  if (names.some((name) => name !== 'decision')) {
    // Events are filtered here, because the audit's own filter by agent leaves out events without an agent. So the
    // result may have fewer events than `limit`.
    const answer = await api.get<{ events: FoundControlEvent[] }>('/v1/audit/control-events', { limit });
    const concerns = ({ event, agentId, actionId }: FoundControlEvent) =>
      (names.includes('control') || names.includes(event)) &&
      isAmong(agentId, filters.agent) &&
      isAmong(actionId, filters.action);
    found.push(...answer.events.filter(concerns).toReversed());
  }
  return found.toSorted((one, other) => atMsOf(one) - atMsOf(other)).slice(-limit);
}

/** True if an event matches a filter. An event without a name concerns all agents or actions. */
function isAmong(name: string | null, given: Filters['agent']): boolean {
  return name === null || !Array.isArray(given) || given.includes(name);
}

function atMsOf(found: Found): number {
  return Date.parse(isControlEvent(found) ? found.happenedAt : found.decidedAt);
}
