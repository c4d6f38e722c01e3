// Podfields prints the fields of a Pod and of all types below it, as each release of
// the Kubernetes API has them: the table pytest_podsource/data/pod_fields.json.
//
//	cd scripts/podfields && go run . > ../../pytest_podsource/data/pod_fields.json
//
// It reads the sources of the types, so nothing is compiled and nothing is required.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// A release is a kubelet's minor version and where its API types stand: a package name
// (as the sources write it) with its Go module, version and folder.
type release struct {
	minor    string
	packages map[string][3]string
}

func staging(minor, version string) release {
	return release{minor, map[string][3]string{
		"v1":     {"k8s.io/api", version, "core/v1"},
		"metav1": {"k8s.io/apimachinery", version, "pkg/apis/meta/v1"},
	}}
}

var releases = []release{
	{"1.1", map[string][3]string{
		"v1":          {"k8s.io/kubernetes", "v1.1.1", "pkg/api/v1"},
		"unversioned": {"k8s.io/kubernetes", "v1.1.1", "pkg/api/unversioned"},
	}},
	staging("1.20", "v0.20.15"),
	staging("1.30", "v0.30.0"),
	staging("1.34", "v0.34.0"),
	staging("1.36", "v0.36.3"),
	staging("1.37", "v0.37.2"),
}

// Types with a JSON form of their own.
var leaves = map[string]string{
	"string": "string", "bool": "bool", "int": "int64", "int32": "int32", "int64": "int64",
	"float64": "float64", "types.UID": "string", "metav1.UID": "string",
	"resource.Quantity": "Quantity", "intstr.IntOrString": "IntOrString",
	"util.IntOrString": "IntOrString", "metav1.Time": "Time", "unversioned.Time": "Time",
	"metav1.FieldsV1": "raw",
}

type api struct {
	declared map[string]ast.Expr // by package and name, such as v1.Pod
	structs  map[string]map[string]string
}

func main() {
	table := map[string]map[string]map[string]*string{}
	for _, each := range releases {
		a := load(each)
		a.visit("v1.PodList")
		merge(table, each.minor, a.structs)
	}
	write(table)
}

// load parses the packages of a release.
func load(r release) *api {
	a := &api{map[string]ast.Expr{}, map[string]map[string]string{}}
	for name, p := range r.packages {
		files, err := filepath.Glob(filepath.Join(moduleDir(p[0]+"@"+p[1]), p[2], "*.go"))
		check(err)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				a.declare(name, file)
			}
		}
	}
	return a
}

func (a *api) declare(name, file string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	check(err)
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			a.declared[name+"."+spec.Name.Name] = spec.Type
		}
		return true
	})
}

// visit notes the fields of a struct and of all structs below it.
func (a *api) visit(name string) string {
	short := name[strings.Index(name, ".")+1:]
	if _, seen := a.structs[short]; !seen {
		a.structs[short] = map[string]string{}
		a.fields(name, a.structs[short])
	}
	return short
}

// fields notes the fields of a struct, those of inlined structs as its own.
func (a *api) fields(name string, into map[string]string) {
	pkg := name[:strings.Index(name, ".")]
	for _, field := range a.declared[name].(*ast.StructType).Fields.List {
		key, option := tag(field)
		switch {
		case option == "inline" || (key == "" && len(field.Names) == 0):
			if inlined := qualified(pkg, field.Type); !strings.HasSuffix(inlined, "TypeMeta") {
				a.fields(inlined, into)
			}
		case key != "":
			into[key] = a.typeOf(pkg, field.Type)
			if option == "" || (option == "omitempty" && a.isStruct(pkg, field.Type)) {
				into[key] += "!"
			}
		}
	}
}

// typeOf describes a type: a leaf, the name of a struct, or []T, map[T], *T.
func (a *api) typeOf(pkg string, expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return "*" + a.typeOf(pkg, t.X)
	case *ast.MapType:
		return "map[" + a.typeOf(pkg, t.Value) + "]"
	case *ast.ArrayType:
		if ident, ok := t.Elt.(*ast.Ident); ok && ident.Name == "byte" {
			return "bytes"
		}
		return "[]" + a.typeOf(pkg, t.Elt)
	}
	name := qualified(pkg, expr)
	if leaf, ok := leaves[name]; ok {
		return leaf
	}
	if leaf, ok := leaves[strings.TrimPrefix(name, pkg+".")]; ok {
		return leaf
	}
	declared, ok := a.declared[name]
	if !ok {
		check(fmt.Errorf("%s is not declared", name))
	}
	if _, ok := declared.(*ast.StructType); ok {
		return a.visit(name)
	}
	return a.typeOf(name[:strings.Index(name, ".")], declared)
}

// isStruct tells what Go prints although it is empty; omitempty has no effect on it.
func (a *api) isStruct(pkg string, expr ast.Expr) bool {
	switch leaves[qualified(pkg, expr)] {
	case "Quantity", "IntOrString", "Time":
		return true
	}
	_, ok := a.declared[qualified(pkg, expr)].(*ast.StructType)
	return ok
}

// qualified returns the name of a type with its package; empty for *T, []T, map[K]T.
func qualified(pkg string, expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.Ident:
		return pkg + "." + t.Name
	case *ast.SelectorExpr:
		return t.X.(*ast.Ident).Name + "." + t.Sel.Name
	}
	return ""
}

// tag returns the JSON name of a field and its first option.
func tag(field *ast.Field) (key, option string) {
	if field.Tag == nil {
		return "", ""
	}
	text := reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json")
	key, rest, _ := strings.Cut(text, ",")
	option, extra, _ := strings.Cut(rest, ",")
	if extra == "omitzero" {
		option = extra
	}
	return key, option
}

// merge notes what a release has that differs from the one before; null is "gone".
func merge(table map[string]map[string]map[string]*string, minor string, structs map[string]map[string]string) {
	for name, fields := range structs {
		if table[name] == nil {
			table[name] = map[string]map[string]*string{}
		}
		for field, kind := range fields {
			if table[name][field] == nil {
				table[name][field] = map[string]*string{}
			}
			if last := newest(table[name][field]); last == nil || *last != kind {
				table[name][field][minor] = &kind
			}
		}
	}
	for name, fields := range table {
		for field, since := range fields {
			if _, has := structs[name][field]; !has && newest(since) != nil {
				since[minor] = nil
			}
		}
	}
}

// write prints the table, one field a line.
func write(table map[string]map[string]map[string]*string) {
	separator := "{"
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fmt.Printf("%s\n%q: {", separator, name)
		separator = ""
		for _, field := range slices.Sorted(maps.Keys(table[name])) {
			since, err := json.Marshal(table[name][field])
			check(err)
			fmt.Printf("%s\n %q: %s", separator, field, since)
			separator = ","
		}
		fmt.Print("}")
		separator = ","
	}
	fmt.Println("\n}")
}

func newest(since map[string]*string) (kind *string) {
	for _, each := range releases {
		if found, ok := since[each.minor]; ok {
			kind = found
		}
	}
	return kind
}

func moduleDir(module string) string {
	out, err := exec.Command("go", "mod", "download", "-json", module).Output()
	check(err)
	var found struct{ Dir string }
	check(json.Unmarshal(out, &found))
	return found.Dir
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
