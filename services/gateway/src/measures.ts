import type { Metrics } from '@mandate/server';
import type { PendingReplies } from './answers/pending-replies.ts';
import type { CommandJournal } from './journal/command-journal.ts';
import type { UndecidedRecords } from './publish/undecided-records.ts';

export type GatewayMeasures = ReturnType<typeof gatewayMeasures>;

type Measured = { replies: PendingReplies; journal: CommandJournal; undecided: UndecidedRecords };

export function gatewayMeasures(metrics: Metrics, { replies, journal, undecided }: Measured) {
  metrics.gauge({
    name: 'mandate_gateway_waiting_answers',
    help: 'Callers that wait for an answer',
    collect: () => replies.reserved,
  });
  metrics.gauge({
    name: 'mandate_gateway_undecided_records',
    help: 'Records that this process published and that are not decided yet, as far as the process knows',
    collect: () => undecided.undecided,
  });
  metrics.gauge({
    name: 'mandate_gateway_waiting_to_publish',
    help: 'Requests that wait until fewer records of their key and tenant are undecided',
    collect: () => undecided.waiting,
  });
  metrics.gauge({
    name: 'mandate_gateway_unlogged_commands',
    help: 'Events of operators that are in force and not yet on the log',
    collect: () => journal.unlogged,
  });
  return {
    published: metrics.counter({
      name: 'mandate_gateway_published_total',
      help: 'Records published for callers, by kind',
      labels: ['event'],
    }),
    held: metrics.counter({
      name: 'mandate_gateway_held_total',
      help: 'Requests refused before the log because their agents were refused too often, by the holder of the limit',
      labels: ['of'],
    }),
    withheld: metrics.counter({
      name: 'mandate_gateway_withheld_total',
      help: 'ALLOWs that were withheld, because the agent was killed meanwhile',
    }),
    kills: metrics.counter({
      name: 'mandate_gateway_kills_total',
      help: 'Kill switches pulled, by scope, with repeats of a kill that is in force',
      labels: ['scope'],
    }),
    revives: metrics.counter({
      name: 'mandate_gateway_revives_total',
      help: 'Kill switches released, by scope',
      labels: ['scope'],
    }),
  };
}
