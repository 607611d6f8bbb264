// random_js: any legal action in Mantis, any table card that the hand fits in Tentagram.
//
// The bot to copy for a bot in JavaScript. Two functions decide, playMantis and playTentagram; what stands below them
// is the conversation with the referee and can stay as it is. What the messages mean is written in the .proto files,
// which this bot loads as they are: every field has the same name here as there.
//
// To try it: npm run build, then arena match mantis . random
'use strict';

const fs = require('node:fs');
const path = require('node:path');
const grpc = require('@grpc/grpc-js');
const protoLoader = require('@grpc/proto-loader');

const NAME = 'random_js';
const VERSION = '1.0';

// The decisions

// Answers a MantisTurn: returns one of turn.legal. The match is what startMatch made.
function playMantis(turn, match) {
  return choose(turn.legal, match.random);
}

// Answers a TentagramTurn: returns the number of a table card. Every hand fits at least three of them.
function playTentagram(turn, match) {
  return choose(turn.fits, match.random);
}

// What the bot keeps in mind of a match, made from its MatchStart: the place for all that a cleverer bot remembers.
// There are many matches at the same time, so nothing of a match may be kept anywhere else.
function startMatch(start) {
  return { seat: start.seat, seats: start.seats, random: randomFrom(start.seed) };
}

// One element of a list or a Buffer, each as likely as the others.
function choose(list, random) {
  return list[Math.floor(random() * list.length)];
}

// Numbers from 0 to 1 like those of Math.random, but the same ones for the same seed, so that a match can be played
// again (the generator is mulberry32). The seed is a text, because it may be larger than a number can hold exactly.
function randomFrom(seed) {
  const bits = BigInt(seed);
  let state = Number((bits ^ (bits >> 32n)) & 0xffffffffn);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// The conversation

// In the repository the .proto files are two folders up; otherwise the copy that the build has made is used.
function protosFolder() {
  const folders = [path.join(__dirname, '..', '..', 'protos'), path.join(__dirname, 'protos')];
  const found = folders.find((folder) => fs.existsSync(path.join(folder, 'arena', 'v1', 'referee.proto')));
  if (!found) {
    fail(`${NAME}: no .proto files; copy the arena's protos folder to ${folders[1]}`);
  }
  return found;
}

function connect(address) {
  const definition = protoLoader.loadSync('arena/v1/referee.proto', {
    includeDirs: [protosFolder()],
    keepCase: true, // own_laid, not ownLaid
    longs: String, // the seed has 64 bits
    defaults: true, // 0, '' or an empty Buffer where a field is missing
    arrays: true, // and an empty list where a repeated field is
    oneofs: true, // start.game is 'mantis' or 'tentagram': the name of the field that is there
  });
  const { Referee } = grpc.loadPackageDefinition(definition).arena.v1;
  return new Referee(address, grpc.credentials.createInsecure(), {
    'grpc.enable_http_proxy': 0, // the referee is on this machine, whatever proxy the environment names
    'grpc.max_receive_message_length': -1, // a message may have any number of turns
  });
}

function play(address, token) {
  const client = connect(address);
  const stream = client.Play();
  const matches = new Map(); // what startMatch made, by the number of the match

  stream.on('data', (response) => {
    // The parts of a response, in the order in which they happened.
    for (const start of response.starts) {
      matches.set(start.match, startMatch(start));
    }
    for (const fault of response.faults) {
      console.error(`fault in match ${fault.match}: ${fault.detail}`);
    }
    // All turns that came together are answered together. A bot that thinks for long sends each answer at once instead,
    // because the clock for the next turn starts when the answer arrives.
    const answers = { match: [], turn: [], action: [] };
    const answer = (turn, action) => {
      answers.match.push(turn.match);
      answers.turn.push(turn.turn);
      answers.action.push(action);
    };
    for (const turn of response.mantis_turns) {
      answer(turn, playMantis(turn, matches.get(turn.match)));
    }
    for (const turn of response.tentagram_turns) {
      answer(turn, playTentagram(turn, matches.get(turn.match)));
    }
    if (answers.match.length > 0) {
      stream.write({ answers });
    }
    for (const end of response.ends) {
      matches.delete(end.match);
    }
  });
  // The referee has nothing more to say. Without the client nothing keeps the program running.
  stream.on('end', () => {
    stream.end();
    client.close();
  });
  stream.on('error', (error) => fail(`${NAME}: the stream broke off: ${error.message}`));

  stream.write({
    hello: {
      protocol: 1,
      token,
      name: NAME,
      version: VERSION,
      games: ['GAME_MANTIS', 'GAME_TENTAGRAM'],
      matches_at_once: 0, // any number
      language: `node ${process.versions.node.split('.')[0]}`,
    },
  });
}

function fail(message, code = 1) {
  console.error(message);
  process.exit(code);
}

const { ARENA_ADDRESS, ARENA_TOKEN } = process.env;
if (!ARENA_ADDRESS || !ARENA_TOKEN) {
  console.error(`${NAME} is a bot: it is started by the arena, which tells it where to play.`);
  fail('Try: arena match mantis . random', 2);
}
play(ARENA_ADDRESS, ARENA_TOKEN);
