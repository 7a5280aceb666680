// Reads a Dockerfile as `docker build --check` does, by BuildKit's own converter: every instruction, every rule of its linter, and what
// the image would be started with. Base images are not looked up; they stand for the official image of Node.
//
//	dockerfile FOLDER     FOLDER has Dockerfile and .dockerignore
//
// JSON on standard output: `warnings`, `config` of the image, `steps` of the build, `context` (the files that would be sent).
// What cannot be built is on standard error, and 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/solver/pb"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
	"github.com/opencontainers/go-digest"
)

const nodeImage = `{
	"architecture": "amd64", "os": "linux",
	"config": {
		"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
		"Entrypoint": ["docker-entrypoint.sh"], "Cmd": ["node"]
	},
	"rootfs": {"type": "layers", "diff_ids": ["sha256:0000000000000000000000000000000000000000000000000000000000000000"]}
}`

type baseImages struct{}

func (baseImages) ResolveImageConfig(_ context.Context, ref string, _ sourceresolver.Opt) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(nodeImage), nil
}

type answer struct {
	Warnings []string `json:"warnings"`
	Config   any      `json:"config"`
	Steps    []string `json:"steps"`
	Context  []string `json:"context"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "Dockerfile"))
	if err != nil {
		return err
	}
	given := answer{Warnings: []string{}}
	mainContext := llb.Local("context")
	state, image, _, _, err := dockerfile2llb.Dockerfile2LLB(context.Background(), text, dockerfile2llb.ConvertOpt{
		MetaResolver: baseImages{},
		MainContext:  &mainContext,
		Warn: func(rule, _, _, message string, at []parser.Range) {
			line := 0
			if len(at) > 0 {
				line = at[0].Start.Line
			}
			given.Warnings = append(given.Warnings, fmt.Sprintf("line %d: %s: %s", line, rule, message))
		},
	})
	if err != nil {
		return err
	}
	given.Config = image.Config
	if given.Steps, err = steps(state); err != nil {
		return err
	}
	if given.Context, err = sent(folder); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(given)
}

// The commands that the build would run, in their order.
func steps(state *llb.State) ([]string, error) {
	definition, err := state.Marshal(context.Background())
	if err != nil {
		return nil, err
	}
	commands := []string{}
	for _, bytes := range definition.Def {
		var op pb.Op
		if err := op.UnmarshalVT(bytes); err != nil {
			return nil, err
		}
		if exec := op.GetExec(); exec != nil {
			commands = append(commands, strings.Join(exec.Meta.Args, " "))
		}
	}
	return commands, nil
}

func sent(folder string) ([]string, error) {
	file, err := os.Open(filepath.Join(folder, ".dockerignore"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	patterns, err := ignorefile.ReadAll(file)
	if err != nil {
		return nil, err
	}
	ignored, err := patternmatcher.New(patterns)
	if err != nil {
		return nil, err
	}
	names := []string{}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if err != nil || name == "." {
			return err
		}
		skip, err := ignored.MatchesOrParentMatches(name)
		if err != nil {
			return err
		}
		// A folder with an exception below it has to be looked into.
		if entry.IsDir() && skip && !ignored.Exclusions() {
			return filepath.SkipDir
		}
		if !entry.IsDir() && !skip {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}
