# Short names for the npm scripts, for users of just. `just ci` runs what CI runs.

default:
    @just --list

# Install what is missing, build, open the window
start *arguments:
    npm start -- {{arguments}}

# Run every check and test
ci:
    npm test

# Run only some stages of the tests: just stage "build and lint" "rust tests"
stage *names:
    npm test -- {{names}}

# Check formatting, clippy and the interface
lint:
    npm run lint

# Write the TypeScript side of the table of operations
wire:
    npm run wire

# Compile and link for Windows, on Debian
windows *crates:
    node scripts/check-windows.js {{crates}}
