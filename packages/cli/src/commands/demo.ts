import type { Command } from 'commander';
import type { RunCommand } from '../command-context.ts';
import type { DemoOptions } from '../demo/run-demo.ts';
import { wholeNumber } from '../input/option-values.ts';

export function demoCommand(command: Command, run: RunCommand): void {
  command
    .description(
      'Starts a plane in a temporary folder and a fleet of agents whose tools are real MCP servers; some misbehave. ' +
        'Shows decisions as they fall, kills a runaway, and reconciles log, ledger and audit. Exit code 0 if all agree.',
    )
    .option('--keep', 'leave it running at the end, with its addresses and keys', false)
    .option(
      '--port <port>',
      'where the plane listens; 0 takes any free port',
      wholeNumber({ min: 0, max: 65_535 }),
      0,
    )
    .addHelpText(
      'after',
      `
Examples:
  mandate demo
  mandate demo --keep --port 7420`,
    )
    .action((options: DemoOptions) =>
      run(async (context) => (await import('../demo/run-demo.ts')).runDemo(options, context)),
    );
}
