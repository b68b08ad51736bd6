// Writes the SDKs for Python and Go of the plugin's schema, as `pulumi package gen-sdk` does where the hosts of these languages are:
// the same code of Pulumi's, which the module of the CLI has anyway. Under the name of such a host it serves the CLI instead.
package main

import (
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"strings"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	pygen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

type generator func(*schema.Package) (map[string][]byte, error)

var generators = map[string]generator{
	"python": func(pkg *schema.Package) (map[string][]byte, error) {
		return pygen.GeneratePackage("pulumi", pkg, nil, nil)
	},
	"go": func(pkg *schema.Package) (map[string][]byte, error) {
		return gogen.GeneratePackage("pulumi", pkg, nil)
	},
}

func main() {
	if language, found := strings.CutPrefix(filepath.Base(os.Args[0]), "pulumi-language-"); found {
		serve(generators[language])
		return
	}
	if len(os.Args) != 3 {
		log.Fatal("usage: sdks <schema.json> <folder>")
	}
	text, err := os.ReadFile(os.Args[1])
	fail(err)
	for language, generate := range generators {
		fail(writeSDK(filepath.Join(os.Args[2], language), generate, text))
	}
}

func writeSDK(folder string, generate generator, text []byte) error {
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err != nil {
		return err
	}
	if diagnostics.HasErrors() {
		return diagnostics
	}
	files, err := generate(pkg)
	if err != nil {
		return err
	}
	for name, content := range files {
		file := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
