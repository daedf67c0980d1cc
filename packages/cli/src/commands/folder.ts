import { DEFAULT_DATA_PATH } from '@mandate/runtime';
import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

export type FolderOptions = { data?: string | undefined };

export function withData(command: Command): Command {
  return command.option(
    '--data <folder>',
    `the data folder of the plane (default MANDATE_PLANE_DATA_PATH or ${DEFAULT_DATA_PATH})`,
  );
}

export function folderOf({ data }: FolderOptions, { env }: Pick<CommandContext, 'env'>): string {
  return data ?? (env.MANDATE_PLANE_DATA_PATH || DEFAULT_DATA_PATH);
}
