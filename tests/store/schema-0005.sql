-- A store with schema 0005: two bots, six matches and a token. It shows that such a store can still be read.
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0005');
CREATE TABLE audit_entries (
	id INTEGER NOT NULL, 
	moment VARCHAR(32) NOT NULL, 
	token_id INTEGER NOT NULL, 
	deed VARCHAR(40) NOT NULL, 
	detail TEXT NOT NULL, 
	CONSTRAINT pk_audit_entries PRIMARY KEY (id), 
	CONSTRAINT fk_audit_entries_token_id_tokens FOREIGN KEY(token_id) REFERENCES tokens (id)
);
INSERT INTO "audit_entries" VALUES(1,'2026-11-16 14:27:05',1,'created','play');
CREATE TABLE blocks (
	tournament_id INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	number INTEGER NOT NULL, 
	round VARCHAR(60) NOT NULL, 
	deal INTEGER NOT NULL, 
	entrants JSON NOT NULL, 
	pairs BLOB, 
	CONSTRAINT pk_blocks PRIMARY KEY (tournament_id, bracket, number), 
	CONSTRAINT fk_blocks_tournament_id_tournaments FOREIGN KEY(tournament_id) REFERENCES tournaments (id)
);
INSERT INTO "blocks" VALUES(1,'mantis',0,'round 1',1,'[0, 1]',X'00040000');
INSERT INTO "blocks" VALUES(1,'mantis',1,'round 1',2,'[0, 1]',X'00040000');
INSERT INTO "blocks" VALUES(1,'mantis',2,'round 1',3,'[0, 1]',X'00040000');
CREATE TABLE bots (
	id INTEGER NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	retired BOOLEAN NOT NULL, 
	created VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_bots PRIMARY KEY (id), 
	CONSTRAINT uq_bots_name UNIQUE (name)
);
INSERT INTO "bots" VALUES(1,'a',0,'2026-11-16 14:27:05');
INSERT INTO "bots" VALUES(2,'b',0,'2026-11-16 14:27:05');
CREATE TABLE brackets (
	tournament_id INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	place INTEGER NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	folded INTEGER NOT NULL, 
	matches INTEGER NOT NULL, played INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_brackets PRIMARY KEY (tournament_id, bracket), 
	CONSTRAINT fk_brackets_tournament_id_tournaments FOREIGN KEY(tournament_id) REFERENCES tournaments (id)
);
INSERT INTO "brackets" VALUES(1,'mantis',0,'running',3,6,6);
CREATE TABLE entries (
	tournament_id INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	version_id INTEGER NOT NULL, 
	CONSTRAINT pk_entries PRIMARY KEY (tournament_id, entrant), 
	CONSTRAINT fk_entries_tournament_id_tournaments FOREIGN KEY(tournament_id) REFERENCES tournaments (id), 
	CONSTRAINT fk_entries_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
INSERT INTO "entries" VALUES(1,0,1);
INSERT INTO "entries" VALUES(1,1,2);
CREATE TABLE head_to_head (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	opponent_id INTEGER NOT NULL, 
	points FLOAT NOT NULL, 
	matches INTEGER NOT NULL, 
	CONSTRAINT pk_head_to_head PRIMARY KEY (scope, bracket, version_id, opponent_id), 
	CONSTRAINT fk_head_to_head_opponent_id_versions FOREIGN KEY(opponent_id) REFERENCES versions (id), 
	CONSTRAINT fk_head_to_head_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
INSERT INTO "head_to_head" VALUES(1,'mantis',1,2,6.0,6);
INSERT INTO "head_to_head" VALUES(1,'mantis',2,1,0.0,6);
CREATE TABLE matches (
	id INTEGER NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	block INTEGER NOT NULL, 
	rotation INTEGER NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	seed TEXT NOT NULL, 
	ending TEXT NOT NULL, 
	decisions INTEGER NOT NULL, 
	reruns INTEGER NOT NULL, 
	played VARCHAR(32) NOT NULL, 
	replay BLOB NOT NULL, sandbox VARCHAR(10) DEFAULT 'none' NOT NULL, overhead_ms FLOAT DEFAULT '0' NOT NULL, overloaded BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_matches PRIMARY KEY (id), 
	CONSTRAINT fk_matches_tournament_id_tournaments FOREIGN KEY(tournament_id) REFERENCES tournaments (id), 
	CONSTRAINT uq_matches_name UNIQUE (name), 
	CONSTRAINT uq_matches_tournament_id UNIQUE (tournament_id, bracket, block, rotation)
);
INSERT INTO "matches" VALUES(1,1,'mantis',0,0,'1-mantis-1-1','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
INSERT INTO "matches" VALUES(2,1,'mantis',0,1,'1-mantis-1-2','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
INSERT INTO "matches" VALUES(3,1,'mantis',1,0,'1-mantis-2-1','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
INSERT INTO "matches" VALUES(4,1,'mantis',1,1,'1-mantis-2-2','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
INSERT INTO "matches" VALUES(5,1,'mantis',2,0,'1-mantis-3-1','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
INSERT INTO "matches" VALUES(6,1,'mantis',2,1,'1-mantis-3-2','seed/1','over',20,0,'2026-01-01',X'789CABAEE5020002780103','none',0.0,0);
CREATE TABLE rating_points (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	matches INTEGER NOT NULL, 
	mu FLOAT NOT NULL, 
	sigma FLOAT NOT NULL, 
	CONSTRAINT pk_rating_points PRIMARY KEY (scope, bracket, version_id, matches), 
	CONSTRAINT fk_rating_points_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
INSERT INTO "rating_points" VALUES(1,'mantis',1,1,2.9224045714013538344e+01,7.19212538954045577099e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,1,2.07759542859864616555e+01,7.19212538954045577099e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',1,2,3.10117927778727064946e+01,6.55180564957461353259e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,2,1.89882072221272935053e+01,6.55180564957461353259e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',1,3,3.20128336771761041741e+01,6.13721280276314207213e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,3,1.79871663228238958258e+01,6.13721280276314207213e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',1,4,3.26641361804295868873e+01,5.84219412643058610967e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,4,1.73358638195704131135e+01,5.84219412643058610967e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',1,5,3.31285040798379242237e+01,5.61853398178058860423e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,5,1.68714959201620757762e+01,5.61853398178058860423e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',1,6,3.34803996947543680562e+01,5.44123337608747092986e+00);
INSERT INTO "rating_points" VALUES(1,'mantis',2,6,1.6519600305245628391e+01,5.44123337608747092986e+00);
CREATE TABLE refits (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	strength FLOAT NOT NULL, 
	low FLOAT, 
	high FLOAT, 
	separated_from JSON NOT NULL, 
	CONSTRAINT pk_refits PRIMARY KEY (scope, bracket, version_id), 
	CONSTRAINT fk_refits_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
CREATE TABLE seat_tallies (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	table_size INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	matches INTEGER NOT NULL, 
	wins FLOAT NOT NULL, 
	placements INTEGER NOT NULL, 
	CONSTRAINT pk_seat_tallies PRIMARY KEY (scope, bracket, version_id, table_size, seat), 
	CONSTRAINT fk_seat_tallies_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
INSERT INTO "seat_tallies" VALUES(1,'mantis',1,2,0,3,3.0,3);
INSERT INTO "seat_tallies" VALUES(1,'mantis',1,2,1,3,3.0,3);
INSERT INTO "seat_tallies" VALUES(1,'mantis',2,2,0,3,0.0,6);
INSERT INTO "seat_tallies" VALUES(1,'mantis',2,2,1,3,0.0,6);
CREATE TABLE "seats" (
	match_id INTEGER NOT NULL, 
	seat INTEGER NOT NULL, 
	version_id INTEGER, 
	placement INTEGER NOT NULL, 
	won FLOAT NOT NULL, 
	think_ms FLOAT NOT NULL, 
	decisions INTEGER NOT NULL, 
	fault VARCHAR(20), 
	detail TEXT, 
	wall_ms FLOAT, 
	cpu_ms FLOAT, 
	person VARCHAR(100), 
	bracket VARCHAR(60) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_seats PRIMARY KEY (match_id, seat), 
	CONSTRAINT fk_seats_match_id_matches FOREIGN KEY(match_id) REFERENCES matches (id), 
	CONSTRAINT fk_seats_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id), 
	CONSTRAINT ck_seats_occupant CHECK ((version_id IS NULL) <> (person IS NULL))
)
 WITHOUT ROWID

;
INSERT INTO "seats" VALUES(1,0,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(1,1,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(2,0,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(2,1,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(3,0,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(3,1,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(4,0,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(4,1,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(5,0,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(5,1,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(6,0,2,2,0.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
INSERT INTO "seats" VALUES(6,1,1,1,1.0,12.5,10,NULL,NULL,NULL,NULL,NULL,'mantis');
CREATE TABLE standings (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	mu FLOAT NOT NULL, 
	sigma FLOAT NOT NULL, 
	matches INTEGER NOT NULL, 
	wins FLOAT NOT NULL, 
	placements JSON NOT NULL, 
	think_ms FLOAT NOT NULL, 
	decisions INTEGER NOT NULL, 
	think_times JSON NOT NULL, 
	faults JSON NOT NULL, 
	last_match VARCHAR(100) NOT NULL, 
	CONSTRAINT pk_standings PRIMARY KEY (scope, bracket, version_id), 
	CONSTRAINT fk_standings_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
INSERT INTO "standings" VALUES(1,'mantis',1,3.34803996947543680562e+01,5.44123337608747092986e+00,6,6.0,'[6]',75.0,60,'[0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0]','{}','1-mantis-3-2');
INSERT INTO "standings" VALUES(1,'mantis',2,1.6519600305245628391e+01,5.44123337608747092986e+00,6,0.0,'[0, 6]',75.0,60,'[0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0]','{}','1-mantis-3-2');
CREATE TABLE surprises (
	scope INTEGER NOT NULL, 
	bracket VARCHAR(60) NOT NULL, 
	version_id INTEGER NOT NULL, 
	won BOOLEAN NOT NULL, 
	place INTEGER NOT NULL, 
	chance FLOAT NOT NULL, 
	"match" VARCHAR(100) NOT NULL, 
	CONSTRAINT pk_surprises PRIMARY KEY (scope, bracket, version_id, won, place), 
	CONSTRAINT fk_surprises_version_id_versions FOREIGN KEY(version_id) REFERENCES versions (id)
);
CREATE TABLE tokens (
	id INTEGER NOT NULL, 
	user_name VARCHAR(40) NOT NULL, 
	secret_hash VARCHAR(64) NOT NULL, 
	scopes JSON NOT NULL, 
	created VARCHAR(32) NOT NULL, 
	expires VARCHAR(32), 
	revoked VARCHAR(32), 
	CONSTRAINT pk_tokens PRIMARY KEY (id), 
	CONSTRAINT uq_tokens_secret_hash UNIQUE (secret_hash)
);
INSERT INTO "tokens" VALUES(1,'anna','0cedf5e1c9c729445780b1df25bb27198daa8fea17fcb835479fa81455996268','["play"]','2026-11-16 14:27:05','2026-12-16 14:27:05',NULL);
CREATE TABLE tournaments (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	format VARCHAR(40) NOT NULL, 
	options JSON NOT NULL, 
	seed TEXT NOT NULL, 
	rated BOOLEAN NOT NULL, 
	state VARCHAR(20) NOT NULL, 
	created VARCHAR(32) NOT NULL, 
	ended VARCHAR(32), 
	CONSTRAINT pk_tournaments PRIMARY KEY (id)
);
INSERT INTO "tournaments" VALUES(1,'tournament 1','round-robin','{}','seed',1,'running','2026-11-16 14:27:05',NULL);
CREATE TABLE versions (
	id INTEGER NOT NULL, 
	bot_id INTEGER NOT NULL, 
	version VARCHAR(100) NOT NULL, 
	content_hash VARCHAR(64) NOT NULL, 
	program TEXT NOT NULL, 
	language VARCHAR(100) NOT NULL, 
	games JSON NOT NULL, 
	notes TEXT NOT NULL, 
	created VARCHAR(32) NOT NULL, 
	CONSTRAINT pk_versions PRIMARY KEY (id), 
	CONSTRAINT fk_versions_bot_id_bots FOREIGN KEY(bot_id) REFERENCES bots (id), 
	CONSTRAINT uq_versions_bot_id UNIQUE (bot_id, version)
);
INSERT INTO "versions" VALUES(1,1,'1','hash a','a/','python','["mantis"]','','2026-11-16 14:27:05');
INSERT INTO "versions" VALUES(2,2,'1','hash b','b/','python','["mantis"]','','2026-11-16 14:27:05');
CREATE INDEX ix_versions_content_hash ON versions (content_hash);
CREATE INDEX ix_matches_tournament_id ON matches (tournament_id, id);
CREATE INDEX ix_matches_tournament_id_bracket ON matches (tournament_id, bracket, id);
CREATE INDEX ix_matches_bracket ON matches (bracket, id);
CREATE INDEX ix_seats_version_id ON seats (version_id, match_id);
CREATE INDEX ix_seats_version_id_bracket ON seats (version_id, bracket, match_id);
CREATE INDEX ix_seats_fault ON seats (match_id) WHERE fault IS NOT NULL;
CREATE INDEX ix_seats_fault_version_id ON seats (version_id, match_id) WHERE fault IS NOT NULL;
CREATE INDEX ix_tokens_user_name ON tokens (user_name);
CREATE INDEX ix_audit_entries_token_id ON audit_entries (token_id, id);
COMMIT;
