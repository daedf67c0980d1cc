/**
 * Imports the package that is given as argument. Prints the URLs of the modules that Node loaded for it, one on each
 * line.
 */
import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
await import(process.argv[2] ?? '');
process.stdout.write(loaded.join('\n'));
