import type { Metrics } from '@mandate/runtime';
import type { AnswerBoard } from './answers/answer-board.ts';
import type { CommandJournal } from './journal/command-journal.ts';

export type GatewayMeasures = ReturnType<typeof gatewayMeasures>;

export function gatewayMeasures(metrics: Metrics, board: AnswerBoard, journal: CommandJournal) {
  metrics.gauge({
    name: 'mandate_gateway_waiting_answers',
    help: 'Answers that callers wait for',
    collect: () => board.taken,
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
      help: 'Requests refused before the log because agents of theirs were refused too often, by whose limit',
      labels: ['of'],
    }),
    withheld: metrics.counter({
      name: 'mandate_gateway_withheld_total',
      help: 'ALLOWs that were not handed over, for the agent had been killed meanwhile',
    }),
    kills: metrics.counter({
      name: 'mandate_gateway_kills_total',
      help: 'Kill switches pulled, by scope, repeats of one that stands among them',
      labels: ['scope'],
    }),
    revives: metrics.counter({
      name: 'mandate_gateway_revives_total',
      help: 'Kill switches released, by scope',
      labels: ['scope'],
    }),
  };
}
