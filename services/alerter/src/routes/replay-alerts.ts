/** POST /v1/alerts/:id/replay sends one alert again. POST /v1/alerts/replay sends all undelivered alerts again. */

import { type AlertReplayed, type ApiKeyRecord, count, described, id, wireTime } from '@mandate/schemas';
import { callerOf, HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Entry } from '../alert-book.ts';
import type { Alerter } from '../alerter.ts';
import { addressees } from '../rules/addressees.ts';
import { maySee } from './may-see.ts';

/**
 * The maximum number of alerts that one call replays. Each replay is a record and a delivery. The answer says how many
 * alerts are left.
 */
const MOST_REPLAYED = 100;

export function replayAlerts(server: HttpServer, { book, alerting, append, clock }: Alerter): void {
  const config = { scope: ['operate', 'operate:all'] as const };

  /** True if a key may send to a webhook: the webhook belongs to the key's tenant or to all tenants (`*`). */
  const mayTell = ({ tenant, scopes }: ApiKeyRecord, name: string) => {
    const webhook = alerting().webhooks.find((known) => known.name === name);
    return (
      webhook !== undefined && (scopes.includes('operate:all') || ['*', tenant].includes(webhook.tenant))
    );
  };

  const replayOf = (entry: Entry, webhooks: readonly string[], key: ApiKeyRecord): AlertReplayed => ({
    event: 'alert.replayed',
    replay: {
      alertId: entry.alert.id,
      webhooks: [...webhooks],
      by: `key:${key.name}`,
      at: wireTime(clock()),
    },
  });

  server.post(
    '/v1/alerts/:id/replay',
    {
      config: {
        ...config,
        refusals: { 404: 'No such alert is known.', 409: 'No webhook is for this alert.' },
      },
      schema: {
        tags: ['alerts'],
        summary: 'Send an alert again, to every webhook that the rule file names for the alert now',
        params: z.object({
          id: described(
            id,
            'The id of the alert. `GET /v1/alerts` lists it.',
            'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48',
          ),
        }),
        response: {
          202: z.object({
            id: described(id, 'The alert that is delivered again.', 'alr_6f1d0c3b8a4e47d2b0c95a7e1f3d2c48'),
            webhooks: described(z.array(z.string()), 'The webhooks that receive it again.', ['ops']),
          }),
        },
      },
    },
    async (request, reply) => {
      const key = callerOf(request);
      const entry = book.get(request.params.id);
      if (entry === undefined || !maySee(key, entry.alert)) {
        throw new HttpProblem(404, 'ALERT_NOT_FOUND', 'no such alert is known', {
          remedy: 'GET /v1/alerts lists the alerts. Only the log has the oldest ones.',
        });
      }
      const webhooks = addressees(entry, alerting().webhooks).filter((name) => mayTell(key, name));
      if (webhooks.length === 0) {
        throw new HttpProblem(409, 'ALERT_WITHOUT_WEBHOOK', 'the rule file has no webhook for this alert', {
          remedy: 'Add one to alerts.yaml, with this rule and its tenant, then send the alert again.',
        });
      }
      // If the alert already waits for every delivery, another record would change nothing.
      const isWaiting = webhooks.every((name) => entry.deliveries.get(name)?.state === 'waiting');
      if (!isWaiting) await append([replayOf(entry, webhooks, key)]);
      reply.code(202);
      return { id: entry.alert.id, webhooks };
    },
  );

  server.post(
    '/v1/alerts/replay',
    {
      config,
      schema: {
        tags: ['alerts'],
        summary: 'Send undelivered alerts again: at most the oldest 100',
        description:
          'Each alert that is sent again counts as one change of the key. `left` says how many undelivered alerts remain after these.',
        response: {
          202: z.object({
            replayed: described(count, 'How many alerts are delivered again.', 3),
            left: described(count, 'How many undelivered alerts remain.', 0),
          }),
        },
      },
    },
    async (request, reply) => {
      const key = callerOf(request);
      const undelivered: AlertReplayed[] = [];
      for (const entry of book.newestFirst()) {
        const failed = [...entry.deliveries].filter(([, { state }]) => state === 'undelivered');
        const webhooks = failed.map(([name]) => name).filter((name) => mayTell(key, name));
        if (webhooks.length > 0 && maySee(key, entry.alert)) undelivered.push(replayOf(entry, webhooks, key));
      }
      const replays = undelivered.reverse().slice(0, MOST_REPLAYED);
      if (replays.length > 0) {
        // The rate limiter has already counted the request as one change, so only the others are added.
        request.spend('changes', { records: replays.length - 1 });
        await append(replays);
      }
      reply.code(202);
      return { replayed: replays.length, left: undelivered.length - replays.length };
    },
  );
}
