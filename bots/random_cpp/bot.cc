// random_cpp: any legal action in Mantis, any table card that the hand fits in Tentagram.
//
// The bot to copy for a bot in C++. Two functions decide, play_mantis and play_tentagram; what stands below them is the
// conversation with the referee and can stay as it is. What the messages mean is written in the .proto files.
//
// To try it: sh build.sh, then arena match mantis . random

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>

#include "arena/v1/referee.grpc.pb.h"

namespace {

namespace pb = arena::v1;

constexpr char kName[] = "random_cpp";
constexpr char kVersion[] = "1.0";

// The decisions

// What the bot keeps in mind of a match: the place for all that a cleverer bot remembers. There are many matches at the
// same time, so nothing of a match may be kept anywhere else.
struct Match {
  Match(const pb::Rules& rules, std::uint32_t seat, std::uint64_t seed) : rules(rules), seat(seat), random(seed) {}

  const pb::Rules& rules;  // the game, its options, the number of seats
  std::uint32_t seat;
  std::mt19937_64 random;  // from the match's seed, so that the match can be played again
};

// A turn to answer. The layout of the position is described in mantis.proto and tentagram.proto.
struct Turn {
  const std::string& legal;
  const std::string& position;
  const std::string& events;
};

// One byte of a bytes field, each as likely as the others.
std::uint32_t choose(const std::string& bytes, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> any(0, bytes.size() - 1);
  return static_cast<unsigned char>(bytes[any(random)]);
}

// Answers a turn of Mantis: returns one of the legal actions.
std::uint32_t play_mantis(const Turn& turn, Match& match) { return choose(turn.legal, match.random); }

// Answers a turn of Tentagram: returns the number of a table card. Every hand fits at least three of them.
std::uint32_t play_tentagram(const Turn& turn, Match& match) {
  // Before the cards that the hand fits: the hand, r, 2 r cards laid, 15 - r cards to come, and 10 numbers for each seat.
  const std::size_t laid = static_cast<unsigned char>(turn.position[1]);
  return choose(turn.position.substr(17 + laid + 10 * match.rules.seats()), match.random);
}

// The conversation

std::unique_ptr<pb::Referee::Stub> connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // the referee is on this machine, whatever proxy is set
  arguments.SetMaxReceiveMessageSize(-1);           // a message may have any number of turns
  return pb::Referee::NewStub(grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
}

pb::PlayRequest hello(const std::string& token) {
  pb::PlayRequest request;
  pb::Hello& hello = *request.mutable_hello();
  hello.set_protocol(2);
  hello.set_token(token);
  hello.set_name(kName);
  hello.set_version(kVersion);
  hello.add_games(pb::GAME_MANTIS);
  hello.add_games(pb::GAME_TENTAGRAM);
  hello.set_matches_at_once(0);  // any number
  hello.set_language("c++17");
  return request;
}

// Plays until the referee ends the stream. Returns the exit code.
int play(const std::string& address, const std::string& token) {
  const auto referee = connect(address);
  grpc::ClientContext context;
  const auto stream = referee->Play(&context);
  std::unordered_map<std::uint32_t, pb::Rules> rules;  // by the number of the rules
  std::unordered_map<std::uint32_t, Match> matches;    // by the number of the match
  pb::PlayResponse response;
  pb::PlayRequest request;

  // Where a write fails the stream has ended, and the next read says so.
  stream->Write(hello(token));
  while (stream->Read(&response)) {
    // The parts of a response, in the order in which they happened.
    for (const auto& each : response.rules()) rules.emplace(each.number(), each);
    const pb::Starts& starts = response.new_matches();
    for (int i = 0; i < starts.match_size(); ++i) {
      matches.emplace(starts.match(i), Match(rules.at(starts.rules(i)), starts.seat(i), starts.seed(i)));
    }
    for (const auto& fault : response.faults()) {
      std::cerr << "fault in match " << fault.match() << ": " << fault.detail() << std::endl;
    }
    // All turns that came together are answered together. A bot that thinks for long sends each answer at once instead,
    // because the clock for the next turn starts when the answer arrives.
    pb::Answers& answers = *request.mutable_answers();
    answers.Clear();
    const pb::Turns& turns = response.turns();
    for (int i = 0; i < turns.match_size(); ++i) {
      const Turn turn{turns.legal(i), turns.position(i), turns.events(i)};
      Match& match = matches.at(turns.match(i));
      answers.add_match(turns.match(i));
      answers.add_turn(turns.turn(i));
      answers.add_action(match.rules.has_mantis() ? play_mantis(turn, match) : play_tentagram(turn, match));
    }
    if (answers.match_size() > 0) stream->Write(request);
    for (const auto match : response.ended_matches().match()) matches.erase(match);
  }
  stream->WritesDone();
  const grpc::Status status = stream->Finish();
  if (!status.ok()) {
    std::cerr << kName << ": the stream broke off: " << status.error_message() << std::endl;
    return 1;
  }
  return 0;
}

}  // namespace

int main() {
  const char* address = std::getenv("ARENA_ADDRESS");
  const char* token = std::getenv("ARENA_TOKEN");
  if (address == nullptr || token == nullptr) {
    std::cerr << kName << " is a bot: it is started by the arena, which tells it where to play.\n"
              << "Try: arena match mantis . random" << std::endl;
    return 2;
  }
  return play(address, token);
}
