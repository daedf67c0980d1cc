import { runs } from '@mandate/testing';
import { describe } from 'vitest';
import { lawsOfTheFold } from '../contract/laws-of-the-fold.ts';

describe('laws of the fold, full length', () => lawsOfTheFold(runs(1_600)));
