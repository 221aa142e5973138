within Cranes;
package Examples "Examples that can be simulated as they are"
end Examples;
