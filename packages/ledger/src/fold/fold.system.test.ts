import { describe } from 'vitest';
import { lawsOfTheFold } from '../contract/laws-of-the-fold.ts';

describe('laws of the fold, at length', () => lawsOfTheFold(1_600));
